# Prepares Windows for volumes of Lunette: $Vendor, $Product and $KeepSeconds are said above. Can be run again.
$ErrorActionPreference = 'Stop'
if (Select-String -Path "$PSScriptRoot\connect.ps1" -Pattern '@LUNETTE-[A-Z-]+@' -Quiet -ErrorAction SilentlyContinue) {
    throw 'Secrets are missing: fetch the kit with its secrets, or write them in place of @LUNETTE-...@.'
}
if (-not (Get-WindowsFeature -Name Multipath-IO).Installed) {
    Install-WindowsFeature -Name Multipath-IO | Out-Null
    throw 'Multipath I/O was installed: restart Windows, then run this again.'
}
if (-not (Get-MSDSMSupportedHW | Where-Object { $_.VendorId.Trim() -eq $Vendor })) {
    New-MSDSMSupportedHW -VendorId $Vendor -ProductId $Product | Out-Null
}
# Least queue depth: all paths carry I/O. It applies to disks that are claimed from now on.
Set-MSDSMGlobalDefaultLoadBalancePolicy -Policy LQD
# A disk that has lost all its paths is kept, so that it outlives a boot of the appliance.
Set-MPIOSetting -NewPathVerificationState Enabled -NewPDORemovePeriod $KeepSeconds -NewDiskTimeout 60
