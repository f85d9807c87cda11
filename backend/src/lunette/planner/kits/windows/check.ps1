# Checks that this machine sees its volumes over every path. Changes nothing. The exit code is 0 if it does.
$failed = 0
function Test-Portal([string]$Target, [string]$Address, [int]$Port) {
    $there = Get-IscsiConnection | Where-Object { $_.TargetAddress -eq $Address -and $_.TargetPortNumber -eq $Port } |
        Get-IscsiSession | Where-Object TargetNodeAddress -eq $Target
    if ($there) { return "ok    portal ${Address}:$Port" }
    $script:failed = 1
    "FAIL  no connection to portal ${Address}:$Port"
}
function Test-Volume([string]$Id, [string]$Name) {
    $disk = Get-Disk | Where-Object { $_.UniqueId -eq $Id -and $_.OperationalStatus -eq 'Online' }
    if ($disk) { return "ok    volume ${Name}: disk $($disk.Number)" }
    $script:failed = 1
    "FAIL  volume ${Name} is missing or offline (Set-Disk -Number N -IsOffline `$false)"
}
