# Installs the packed app as a user with an odd name, starts its launcher by a plain spawn, asks it by MCP, updates the app with that client
# connected, and uninstalls it.
# Run by desktop.yml on Windows, as an administrator.
$ErrorActionPreference = 'Stop'
$name = 'Jürgen & Zoë'
$password = 'Tt-' + [guid]::NewGuid()
$secure = ConvertTo-SecureString $password -AsPlainText -Force
New-LocalUser -Name $name -Password $secure -PasswordNeverExpires | Out-Null
Add-LocalGroupMember -Group 'Administrators' -Member $name
$credential = New-Object System.Management.Automation.PSCredential($name, $secure)
$installer = (Get-ChildItem release -Filter '*.exe' | Where-Object Name -NotLike '*unins*' | Select-Object -First 1).FullName
$shared = Join-Path $env:PUBLIC 'tooltray-ci'
New-Item -ItemType Directory -Force -Path $shared | Out-Null
Copy-Item $installer (Join-Path $shared 'setup.exe')

$script = @'
$ErrorActionPreference = 'Stop'
Start-Process -Wait -FilePath "$env:PUBLIC\tooltray-ci\setup.exe" -ArgumentList '/S'
$app = Join-Path $env:LOCALAPPDATA 'Programs\Tooltray\Tooltray.exe'
if (-not (Test-Path $app)) { throw "The app is not at $app." }
Start-Process -FilePath $app -ArgumentList '--background'
$launcher = Join-Path $env:USERPROFILE '.tooltray\bin\tooltray.exe'
# Its fourth line is the runtime of the shim, which is copied after the start.
$launch = Join-Path $env:USERPROFILE '.tooltray\bin\tooltray.launch'
$deadline = (Get-Date).AddSeconds(180)
while (-not (Test-Path $launch) -or @(Get-Content $launch).Count -lt 5) {
  if ((Get-Date) -gt $deadline) { throw "No launcher at $launcher with a runtime of the shim." }
  Start-Sleep 1
}
$info = New-Object System.Diagnostics.ProcessStartInfo($launcher, 'stdio --app ci')
$info.UseShellExecute = $false
$info.RedirectStandardInput = $true
$info.RedirectStandardOutput = $true
$process = [System.Diagnostics.Process]::Start($info)
$process.StandardInput.WriteLine('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ci","version":"1"}}}')
$line = $process.StandardOutput.ReadLineAsync()
if (-not $line.Wait(60000)) { throw 'The launcher did not answer.' }
if ($line.Result -notmatch 'serverInfo') { throw "The launcher answered: $($line.Result)" }
# An update, with this client connected: as the app does it, client apps start nothing meanwhile. The installer ends the app and starts it again.
$shim = @(Get-Process tooltray-shim)
if ($shim.Count -ne 1) { throw "The client is served by $($shim.Count) shims." }
$before = @(Get-Process Tooltray).Id
$until = [DateTimeOffset]::UtcNow.ToUnixTimeMilliseconds() + 300000
Set-Content -Path (Join-Path $env:USERPROFILE '.tooltray\run\update') -NoNewline -Value $until
Start-Process -Wait -FilePath "$env:PUBLIC\tooltray-ci\setup.exe" -ArgumentList '--updated', '/S', '--force-run'
$process.StandardInput.WriteLine('{"jsonrpc":"2.0","method":"notifications/initialized"}')
$process.StandardInput.WriteLine('{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
do {
  $line = $process.StandardOutput.ReadLineAsync()
  if (-not $line.Wait(180000)) { throw 'The client was not served after the update.' }
} until ($line.Result -match '"id":2')
if ($line.Result -notmatch '"tools"') { throw "After the update, the client was answered: $($line.Result)" }
if ($shim[0].HasExited) { throw 'The update ended the shim of the client.' }
if (@(Get-Process Tooltray | Where-Object Id -In $before).Count -ne 0) { throw 'The old version still runs.' }
$process.Kill()
# Nothing of ours lies where packaged client apps are redirected.
foreach ($folder in $env:APPDATA, $env:LOCALAPPDATA) { if (Test-Path (Join-Path $folder 'Tooltray')) { throw "There is a folder of Tooltray in $folder." } }
# The pipe has a name that nobody could know before.
$pipe = (Get-Content (Join-Path $env:USERPROFILE '.tooltray\run\pipe')).Trim()
if ($pipe -notmatch '^\\\\\.\\pipe\\tooltray-[0-9a-f]{32}$') { throw "The pipe is called $pipe." }
# A client app that is connected gets its file back from the uninstaller.
$cursor = Join-Path $env:USERPROFILE '.cursor\mcp.json'
New-Item -ItemType Directory -Force -Path (Split-Path $cursor) | Out-Null
Set-Content -Path $cursor -NoNewline -Value '{ "mcpServers":{}}'
& $launcher install cursor --yes
if ($LASTEXITCODE -ne 0) { throw 'The client app was not connected.' }
if ((Get-Content -Raw $cursor) -notmatch 'tooltray') { throw 'The client app has no entry.' }
# A program that holds the pipe in a core's place learns no token: a core proves itself first.
Get-Process Tooltray -ErrorAction SilentlyContinue | Stop-Process -Force
$runFolder = Join-Path $env:USERPROFILE '.tooltray\run'
$token = (Get-Content (Join-Path $runFolder 'token')).Trim()
$squatter = New-Object System.IO.Pipes.NamedPipeServerStream('tooltray-squatter', 'InOut', 1, 'Byte', 'Asynchronous')
Set-Content -Path (Join-Path $runFolder 'pipe') -NoNewline -Value '\\.\pipe\tooltray-squatter'
$process = [System.Diagnostics.Process]::Start($info)
if (-not $squatter.WaitForConnectionAsync().Wait(30000)) { throw 'Nobody came to the pipe.' }
$buffer = New-Object byte[] 65536
$read = $squatter.ReadAsync($buffer, 0, $buffer.Length)
if ($read.Wait(10000) -and [Text.Encoding]::UTF8.GetString($buffer, 0, $read.Result).Contains($token)) {
  throw 'The token was sent to a program that proved nothing.'
}
$process.Kill()
$squatter.Dispose()
Get-Process Tooltray -ErrorAction SilentlyContinue | Stop-Process -Force
Start-Process -Wait -FilePath (Join-Path (Split-Path $app) 'Uninstall Tooltray.exe') -ArgumentList '/S'
if ((Get-Content -Raw $cursor) -cne '{ "mcpServers":{}}') { throw 'The client app did not get its file back.' }
if (Test-Path 'HKCU:\Software\Classes\tooltray') { throw 'The protocol key is still there.' }
'@
$file = Join-Path $shared 'as-user.ps1'
Set-Content -Path $file -Value $script -Encoding UTF8
$run = Start-Process -FilePath pwsh -ArgumentList '-NoProfile', '-File', $file -Credential $credential -LoadUserProfile -WorkingDirectory $shared -Wait -PassThru
if ($run.ExitCode -ne 0) { throw "The steps as $name failed with $($run.ExitCode)." }
