; electron-builder's uninstaller includes this. Before files are removed, but not for an update: client apps get their files back as they were,
; and login item, protocol key, keychain item, and PATH entry go.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    nsExec::Exec '"$INSTDIR\resources\bin\tooltray.exe" uninstall --all --quiet'
    Pop $0
  ${endIf}
!macroend
