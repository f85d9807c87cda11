# Logs in to the appliance through every portal. $Known, $Chap, $Discovery and $Mutual are set above. Can be repeated.
$ErrorActionPreference = 'Stop'
Set-Service -Name MSiSCSI -StartupType Automatic
Start-Service -Name MSiSCSI
$mine = (Get-InitiatorPort | Where-Object ConnectionType -eq 'iSCSI').NodeAddress
if (-not ($mine | Where-Object { $Known -contains $_ })) {
    throw "This machine has the name $mine, and the appliance knows $Known. Enter its name on the appliance."
}
if ($Mutual) { Set-IscsiChapSecret -ChapSecret $Mutual }
function Connect-Lunette([string]$Target, [string]$Address, [int]$Port) {
    $portals = Get-IscsiTargetPortal |
        Where-Object { $_.TargetPortalAddress -eq $Address -and $_.TargetPortalPortNumber -eq $Port }
    if (-not $portals) {
        New-IscsiTargetPortal -TargetPortalAddress $Address -TargetPortalPortNumber $Port @Discovery | Out-Null
    }
    $there = Get-IscsiConnection | Where-Object { $_.TargetAddress -eq $Address -and $_.TargetPortNumber -eq $Port } |
        Get-IscsiSession | Where-Object TargetNodeAddress -eq $Target
    if (-not $there) {
        Connect-IscsiTarget -NodeAddress $Target -TargetPortalAddress $Address -TargetPortalPortNumber $Port `
            -IsMultipathEnabled $true -IsPersistent $true @Chap | Out-Null
    }
}
