# Starts the installed launcher in a packaged (MSIX) program. Windows redirects what that and its descendants write below AppData; the core that
# it starts has to be outside of the package, with the files of this user. Run by desktop.yml, as an administrator, in Windows PowerShell 5.1.
$ErrorActionPreference = 'Stop'
$root = Resolve-Path (Join-Path $PSScriptRoot '..\..')
$installer = (Get-ChildItem (Join-Path $root 'release') -Filter '*.exe' | Where-Object { $_.Name -notlike '*unins*' } | Select-Object -First 1).FullName
Start-Process -Wait -FilePath $installer -ArgumentList '/S'
$app = Join-Path $env:LOCALAPPDATA 'Programs\Tooltray\Tooltray.exe'
$launcher = Join-Path $env:USERPROFILE '.tooltray\bin\tooltray.exe'
Start-Process -FilePath $app -ArgumentList '--background'
$deadline = (Get-Date).AddSeconds(60)
while (-not (Test-Path $launcher)) { if ((Get-Date) -gt $deadline) { throw "No launcher at $launcher." }; Start-Sleep 1 }
& $launcher stop
if ($LASTEXITCODE -ne 0) { throw 'Tooltray did not stop.' }

# The smallest packaged program. Developer mode lets it be registered unsigned.
$unlock = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\AppModelUnlock'
if (-not (Test-Path $unlock)) { New-Item -Path $unlock -Force | Out-Null }
Set-ItemProperty -Path $unlock -Name AllowDevelopmentWithoutDevLicense -Type DWord -Value 1
$package = Join-Path $env:RUNNER_TEMP 'tooltray-packaged'
New-Item -ItemType Directory -Force -Path $package | Out-Null
Copy-Item "$env:SystemRoot\System32\cmd.exe" (Join-Path $package 'host.exe')
Copy-Item (Join-Path $root 'resources\icons\128x128.png') (Join-Path $package 'logo.png')
Set-Content -Path (Join-Path $package 'AppxManifest.xml') -Encoding UTF8 -Value @'
<?xml version="1.0" encoding="utf-8"?>
<Package xmlns="http://schemas.microsoft.com/appx/manifest/foundation/windows10"
  xmlns:uap="http://schemas.microsoft.com/appx/manifest/uap/windows10"
  xmlns:rescap="http://schemas.microsoft.com/appx/manifest/foundation/windows10/restrictedcapabilities"
  IgnorableNamespaces="uap rescap">
  <Identity Name="TooltrayCi" Publisher="CN=ci" Version="1.0.0.0" ProcessorArchitecture="x64" />
  <Properties>
    <DisplayName>TooltrayCi</DisplayName>
    <PublisherDisplayName>ci</PublisherDisplayName>
    <Logo>logo.png</Logo>
  </Properties>
  <Resources><Resource Language="en-us" /></Resources>
  <Dependencies>
    <TargetDeviceFamily Name="Windows.Desktop" MinVersion="10.0.17763.0" MaxVersionTested="10.0.26100.0" />
  </Dependencies>
  <Capabilities><rescap:Capability Name="runFullTrust" /></Capabilities>
  <Applications>
    <Application Id="App" Executable="host.exe" EntryPoint="Windows.FullTrustApplication">
      <uap:VisualElements DisplayName="TooltrayCi" Description="ci" BackgroundColor="transparent"
        Square150x150Logo="logo.png" Square44x44Logo="logo.png" />
    </Application>
  </Applications>
</Package>
'@
Add-AppxPackage -Register (Join-Path $package 'AppxManifest.xml')
$family = (Get-AppxPackage -Name TooltrayCi).PackageFamilyName

# Everything is written before the answer counts: that is moved to its name last.
$request = Join-Path $package 'request.txt'
$answer = Join-Path $env:USERPROFILE 'tooltray-ci-answer.txt'
$hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ci","version":"1"}}}'
Set-Content -Path $request -Encoding Ascii -Value $hello
$batch = Join-Path $package 'run.cmd'
Set-Content -Path $batch -Encoding Ascii -Value @"
@echo off
echo inside> "%APPDATA%\tooltray-ci-redirected.txt"
"$launcher" stdio --app ci < "$request" > "$answer.part" 2>&1
move /y "$answer.part" "$answer"
"@
Invoke-CommandInDesktopPackage -PackageFamilyName $family -AppId App -Command cmd.exe -Args "/c `"$batch`"" -PreventBreakaway
$deadline = (Get-Date).AddSeconds(120)
while (-not (Test-Path $answer)) { if ((Get-Date) -gt $deadline) { throw 'The launcher in the package did not answer.' }; Start-Sleep 1 }
$text = Get-Content -Raw $answer
if ($text -notmatch 'serverInfo') { throw "The launcher in the package answered: $text" }
if (Test-Path (Join-Path $env:APPDATA 'tooltray-ci-redirected.txt')) { throw 'Nothing was redirected, so this proves nothing.' }

# The core is reached from outside, and has no package.
& $launcher status
if ($LASTEXITCODE -ne 0) { throw 'The core that the packaged program started is not the one of this user.' }
Add-Type -Namespace Ci -Name Native -MemberDefinition '[DllImport("kernel32.dll", CharSet = CharSet.Unicode)] public static extern int GetPackageFamilyName(IntPtr process, ref uint length, System.Text.StringBuilder name);'
$noPackage = 15700
$cores = @(Get-Process Tooltray)
if ($cores.Count -eq 0) { throw 'Tooltray does not run.' }
foreach ($core in $cores) {
  $length = [uint32]0
  $code = [Ci.Native]::GetPackageFamilyName($core.Handle, [ref]$length, $null)
  if ($code -ne $noPackage) { throw "Process $($core.Id) of Tooltray is in a package (code $code)." }
}
& $launcher stop
Remove-AppxPackage -Package (Get-AppxPackage -Name TooltrayCi).PackageFullName
Start-Process -Wait -FilePath (Join-Path (Split-Path $app) 'Uninstall Tooltray.exe') -ArgumentList '/S'
