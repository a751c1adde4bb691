/* Plays the app for the launcher's test: prints what the launcher set and its arguments, copies stdin to stdout, and ends with 7. */
#include <windows.h>

static void print(const wchar_t *line) {
  static char text[65536];
  DWORD written;
  int length = WideCharToMultiByte(CP_UTF8, 0, line, -1, text, sizeof text, NULL, NULL);
  text[length - 1] = '\n';
  WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text, (DWORD)length, &written, NULL);
}

static void print_variable(const wchar_t *name) {
  static wchar_t value[32768];
  value[0] = 0;
  GetEnvironmentVariableW(name, value, 32768);
  print(value);
}

int wmain(int count, wchar_t **words) {
  static char bytes[4096];
  DWORD size, written;
  print_variable(L"ELECTRON_RUN_AS_NODE");
  print_variable(L"TOOLTRAY_CORE_COMMAND");
  for (int i = 1; i < count; i++) print(words[i]);
  while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), bytes, sizeof bytes, &size, NULL) && size > 0)
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, size, &written, NULL);
  return 7;
}
