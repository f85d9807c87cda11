# Prepares Windows for volumes of Lunette. $Vendor, $Product and $KeepSeconds are set above. Can be repeated.
$ErrorActionPreference = 'Stop'
if (Select-String -Path "$PSScriptRoot\connect.ps1" -Pattern '@LUNETTE-[A-Z-]+@' -Quiet -ErrorAction SilentlyContinue) {
    throw 'Secrets are missing: download the kit with its secrets, or replace @LUNETTE-...@ with them.'
}
if (-not (Get-WindowsFeature -Name Multipath-IO).Installed) {
    Install-WindowsFeature -Name Multipath-IO | Out-Null
    throw 'Multipath I/O was installed: restart Windows, then run this again.'
}
if (-not (Get-MSDSMSupportedHW | Where-Object { $_.VendorId.Trim() -eq $Vendor })) {
    New-MSDSMSupportedHW -VendorId $Vendor -ProductId $Product | Out-Null
}
# Least queue depth: I/O is distributed over all paths. Applies to disks that are claimed from now on.
Set-MSDSMGlobalDefaultLoadBalancePolicy -Policy LQD
# A disk that has lost all its paths is retained, so that it survives a restart of the appliance.
Set-MPIOSetting -NewPathVerificationState Enabled -NewPDORemovePeriod $KeepSeconds -NewDiskTimeout 60
