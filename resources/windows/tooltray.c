/*
 * The command `tooltray` on Windows: starts the installed app as Node.js with the script and the arguments given, and ends with its exit code.
 * Client apps start it without a shell, so it is a program and no batch file.
 *
 * Beside it lies tooltray.launch, UTF-8, one value a line: the app's executable, the script, and optionally the command that starts a core,
 * as JSON, and the executable and script for `tooltray stdio`, which an update of the app leaves alone. A relative path counts from the
 * launcher's folder. Built by scripts/package/build-windows-launcher.mjs.
 */
#define _WIN32_WINNT 0x0602
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

/* Compared with this file by a test: a launcher that was built from another one is found. */
__attribute__((used)) static const char source_digest[] = "tooltray-launcher-source " SOURCE_DIGEST;

enum { max_path = 32768, max_file = 65536, exit_unusable = 126, exit_app_gone = 127 };

static void complain(const wchar_t *before, const wchar_t *path, const wchar_t *after) {
  static char text[4 * max_path];
  static wchar_t wide[2 * max_path];
  DWORD written;
  int length = _snwprintf(wide, 2 * max_path - 1, L"tooltray: %ls%ls%ls\r\n", before, path, after);
  if (length < 0) return;
  length = WideCharToMultiByte(CP_UTF8, 0, wide, length, text, sizeof text, NULL, NULL);
  WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)length, &written, NULL);
}

static void fail(int code, const wchar_t *before, const wchar_t *path, const wchar_t *after) {
  complain(before, path, after);
  ExitProcess((UINT)code);
}

/* The file's text, with a closing zero; NULL if it cannot be read. */
static wchar_t *read_text(const wchar_t *path) {
  static char bytes[max_file];
  DWORD size = 0;
  HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) return NULL;
  BOOL is_read = ReadFile(file, bytes, sizeof bytes, &size, NULL);
  CloseHandle(file);
  if (!is_read || size == 0 || size == sizeof bytes) return NULL;
  int length = MultiByteToWideChar(CP_UTF8, 0, bytes, (int)size, NULL, 0);
  wchar_t *text = calloc((size_t)length + 1, sizeof *text);
  if (text != NULL) MultiByteToWideChar(CP_UTF8, 0, bytes, (int)size, text, length);
  return text;
}

/* Cuts one line off; an empty string after the last one. */
static wchar_t *next_line(wchar_t **rest) {
  wchar_t *line = *rest;
  wchar_t *end = line + wcscspn(line, L"\r\n");
  wchar_t *next = end + wcsspn(end, L"\r\n");
  *end = 0;
  *rest = next;
  return line;
}

static wchar_t *absolute(const wchar_t *folder, const wchar_t *path) {
  int is_absolute = path[0] != 0 && (path[1] == L':' || (path[0] == L'\\' && path[1] == L'\\'));
  wchar_t *full = calloc(wcslen(folder) + wcslen(path) + 1, sizeof *full);
  if (full == NULL) return NULL;
  if (!is_absolute) wcscpy(full, folder);
  return wcscat(full, path);
}

/* What follows the program's own name on the command line, spelled as it was. */
static const wchar_t *arguments(void) {
  const wchar_t *line = GetCommandLineW();
  int is_quoted = 0;
  for (; *line != 0 && (is_quoted || (*line != L' ' && *line != L'\t')); line++)
    if (*line == L'"') is_quoted = !is_quoted;
  while (*line == L' ' || *line == L'\t') line++;
  return line;
}

/* Whether they are those of the shim, which needs nothing of the app. */
static int is_shim(const wchar_t *words) {
  if (wcsncmp(words, L"stdio", 5) != 0 || (words[5] != 0 && words[5] != L' ')) return 0;
  return wcsstr(words, L" --standalone") == NULL && wcsstr(words, L" --help") == NULL && wcsstr(words, L" -h") == NULL;
}

static int exists(const wchar_t *path) { return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES; }

static HANDLE inherited(DWORD which) {
  HANDLE handle = GetStdHandle(which);
  if (handle != NULL && handle != INVALID_HANDLE_VALUE) SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return handle;
}

/* The app ends with the launcher, also if that is killed; the core that it starts is not in the job and outlives both. */
static void end_together(HANDLE process) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  HANDLE job = CreateJobObjectW(NULL, NULL);
  if (job == NULL) return;
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  AssignProcessToJobObject(job, process);
}

static DWORD run(const wchar_t *program, wchar_t *command_line) {
  STARTUPINFOW startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION process;
  DWORD code = exit_unusable;
  startup.hStdInput = inherited(STD_INPUT_HANDLE);
  startup.hStdOutput = inherited(STD_OUTPUT_HANDLE);
  startup.hStdError = inherited(STD_ERROR_HANDLE);
  if (!CreateProcessW(program, command_line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &startup, &process))
    fail(exit_unusable, L"Windows could not start ", program, L". Install Tooltray again.");
  end_together(process.hProcess);
  ResumeThread(process.hThread);
  /* Ours would keep a pipe open after the app has closed its own. */
  CloseHandle(startup.hStdInput);
  CloseHandle(startup.hStdOutput);
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  return code;
}

int wmain(void) {
  static wchar_t own[max_path];
  DWORD length = GetModuleFileNameW(NULL, own, max_path - 16);
  wchar_t *name = wcsrchr(own, L'\\');
  if (length == 0 || name == NULL) fail(exit_unusable, L"The launcher does not find its own folder.", L"", L"");
  wchar_t *folder = _wcsdup(own);
  folder[name + 1 - own] = 0;
  wcscpy(name + 1, L"tooltray.launch");

  wchar_t *text = read_text(own);
  if (text == NULL) fail(exit_app_gone, L"There is no ", own, L". Start the Tooltray app once, or install it again.");
  wchar_t *program = absolute(folder, next_line(&text));
  wchar_t *script = absolute(folder, next_line(&text));
  wchar_t *core_command = next_line(&text);
  wchar_t *shim_program = next_line(&text);
  wchar_t *shim_script = next_line(&text);
  const wchar_t *rest = arguments();
  if (is_shim(rest) && shim_script[0] != 0 && exists(shim_program)) {
    program = shim_program;
    script = shim_script;
  }
  if (!exists(program))
    fail(exit_app_gone, L"The Tooltray app is no longer at ", program,
         L". Install it again, or start it once from where it is now.");

  size_t size = wcslen(program) + wcslen(script) + wcslen(rest) + 8;
  wchar_t *command_line = calloc(size, sizeof *command_line);
  if (command_line == NULL) fail(exit_unusable, L"There is not enough memory.", L"", L"");
  _snwprintf(command_line, size, L"\"%ls\" \"%ls\" %ls", program, script, rest);
  SetEnvironmentVariableW(L"ELECTRON_RUN_AS_NODE", L"1");
  if (core_command[0] != 0) SetEnvironmentVariableW(L"TOOLTRAY_CORE_COMMAND", core_command);
  return (int)run(program, command_line);
}
