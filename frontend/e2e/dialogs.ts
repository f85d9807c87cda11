/** Every dialog of the page, by the component that has it, and how it is opened on the scene that the first run makes. */

export interface Opening {
  /** The component. */
  of: string
  path: string
  /** A button of the page; with `key`, what has the focus when it is pressed. */
  button?: RegExp
  key?: string
}

export const DIALOGS: readonly Opening[] = [
  { of: 'SearchPalette', path: '/about', key: 'Control+k' },
  { of: 'ArrayPage', path: '/arrays/tank', button: /^Set resync speed$/ },
  { of: 'ArrayPage', path: '/arrays/tank', button: /^Add data disks$/ },
  { of: 'ArrayPage', path: '/arrays/tank', button: /^Delete$/ },
  { of: 'ArrayPage', path: '/arrays/tank', button: /^Replace: / },
  { of: 'VolumeDialog', path: '/volumes', button: /^Edit lun02$/ },
  { of: 'ListPage', path: '/volumes', button: /^Delete lun02$/ },
  { of: 'VolumePage', path: '/volumes/lun02', button: /^Grow$/ },
  { of: 'VolumePage', path: '/volumes/lun01', button: /^Take snapshot$/ },
  { of: 'MapDialog', path: '/volumes/lun03', button: /^Map$/ },
  { of: 'HostDialog', path: '/hosts', button: /^Create host$/ },
  { of: 'HostDialog', path: '/hosts', button: /^Edit esx1$/ },
  { of: 'HostPage', path: '/hosts/esx2', button: /^Delete$/ },
  { of: 'MapDialog', path: '/hosts/esx1', button: /^Map volume$/ },
  { of: 'HostVolumes', path: '/hosts/esx1', button: /^Unmap lun01 from / },
  { of: 'HostPathTrial', path: '/hosts/esx1', button: /^Try every path$/ },
  { of: 'HostKitPanel', path: '/hosts/esx1', button: /^Setup kit$/ },
  { of: 'HostGroupDialog', path: '/host-groups', button: /^Create host group$/ },
  { of: 'PortalDialog', path: '/portals', button: /^Create portal$/ },
  { of: 'PortalDialog', path: '/portals', button: /^Edit storage$/ },
  { of: 'ScheduleDialog', path: '/schedules', button: /^Create schedule$/ },
  { of: 'UserDialog', path: '/users', button: /^Create user$/ },
  { of: 'TokenDialog', path: '/tokens', button: /^Create token$/ },
  { of: 'CertificatePage', path: '/settings/certificate', button: /^Generate self-signed certificate$/ },
  { of: 'CertificateDialog', path: '/settings/certificate', button: /^Replace certificate$/ },
  { of: 'PowerPage', path: '/settings/power', button: /^Restart$/ },
  { of: 'PowerPage', path: '/settings/power', button: /^Shut down$/ },
]

/** Why the dialogs of these components are not opened there. */
export const NOT_OPENED: Record<string, string> = {
  ActDialog: 'a plan dialog: those who use it are opened',
  PlanDialog: 'those who use it are opened',
  AppShell: 'the navigation of a telephone, in a test of its own',
  ArrayForm: 'the plan of the first run',
  StartForm: 'the plan of the first run',
  StartMap: 'the plan of the first run',
  StartAppliance: 'a plan without a form, like that of a deletion',
  VolumeForm: 'the plan of the first run',
  BulkDialog: 'needs a selection; a plan like that of one',
  SavedViews: 'one field, opened from a menu',
  ScheduledDialog: 'needs a server for the backups',
  ScheduledPanel: 'needs a server for the backups',
  SettingsFrame: 'a plan without a form, like that of a deletion',
  SitePage: 'a plan without a form, like that of a deletion',
  MappingsPage: 'opens the dialog of one mapping, or a plan without a form',
  LoginsPage: 'a plan without a form: the login that is this browser is not ended',
  ArraysPage: 'the dialog of an array is opened on its page',
  DiskPage: 'needs a disk with content',
  DeletedDialogs: 'needs a deleted volume',
  SchedulesPage: 'needs a schedule',
  SessionsPage: 'needs a session',
  CareDialog: 'needs an alert',
  AlertsPage: 'needs an alert',
  JobResolve: 'needs a stuck job',
  JobsDrawer: 'needs a job that runs',
  EventOpened: 'needs an event that can be undone',
  UpdatesPage: 'needs slots, which user-mode Linux has none of',
  InterfacesPage: 'the interface of the machine carries the connection of the test',
  InterfaceDialog: 'the interface of the machine carries the connection of the test',
  InterfaceMakeDialog: 'the interface of the machine carries the connection of the test',
  FcPortDialog: 'needs an HBA',
  ForeignArrayDialog: 'needs an array of another system',
  ForeignArrays: 'needs an array of another system',
  AdoptPanel: 'needs a configuration of another system',
  LeaveDialog: 'a question of one sentence, opened by leaving a form',
}
