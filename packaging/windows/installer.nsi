; PPRL Desktop for one user, without administrator rights.
; makensis -DVERSION=... -DAPP=folder -DOUT=setup.exe -DICON=app.ico -DLICENCE=LICENSE installer.nsi
Unicode true
Target amd64-unicode
!include "MUI2.nsh"
!include "LogicLib.nsh"
!include "FileFunc.nsh"

!define NAME "PPRL Desktop"
!define KEY "Software\PPRL Desktop"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\PPRL Desktop"

Name "${NAME}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\PPRL Desktop"
InstallDirRegKey HKCU "${KEY}" "InstallDir"
SetCompressor /SOLID lzma
ManifestDPIAware true
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Installs ${NAME} for one user"
VIAddVersionKey "LegalCopyright" "The PPRL Desktop authors, MIT licence"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"

!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\PPRL Desktop.exe"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

!macro FileType suffix class description
  WriteRegStr HKCU "Software\Classes\${suffix}" "" "${class}"
  WriteRegStr HKCU "Software\Classes\${class}" "" "${description}"
  WriteRegStr HKCU "Software\Classes\${class}\DefaultIcon" "" "$INSTDIR\PPRL Desktop.exe,0"
  WriteRegStr HKCU "Software\Classes\${class}\shell\open\command" "" '"$INSTDIR\PPRL Desktop.exe" "%1"'
!macroend

!macro NoFileType suffix class
  ; the ending may meanwhile belong to another program: then it stays with that one
  ReadRegStr $0 HKCU "Software\Classes\${suffix}" ""
  ${If} $0 == "${class}"
    DeleteRegKey HKCU "Software\Classes\${suffix}"
  ${EndIf}
  DeleteRegKey HKCU "Software\Classes\${class}"
!macroend

Section
  ; an older version is replaced as a whole; projects and keys lie elsewhere and are never touched
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${APP}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\PPRL Desktop.lnk" "$INSTDIR\PPRL Desktop.exe"
  WriteRegStr HKCU "${KEY}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The PPRL Desktop authors"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\PPRL Desktop.exe"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  !insertmacro FileType ".pprlproject" "PPRLDesktop.Project" "PPRL Desktop project"
  !insertmacro FileType ".pprl" "PPRLDesktop.Bundle" "PPRL Desktop sealed file"
  !insertmacro FileType ".pprlcard" "PPRLDesktop.Card" "PPRL Desktop contact card"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

Section "Uninstall"
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\pprl-desktop.exe"
  Delete "$INSTDIR\PPRL Desktop.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\PPRL Desktop.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "${KEY}"
  !insertmacro NoFileType ".pprlproject" "PPRLDesktop.Project"
  !insertmacro NoFileType ".pprl" "PPRLDesktop.Bundle"
  !insertmacro NoFileType ".pprlcard" "PPRLDesktop.Card"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
