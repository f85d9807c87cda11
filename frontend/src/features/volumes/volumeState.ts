/** A volume's life here and whether hosts are served from it, as one word and one tone. */
import type { RouteLocationRaw } from 'vue-router'
import type { MappedTo, Volume } from '@/api'
import type { Tone } from '@/ui/tone'

const EXPORT: Record<Volume['export']['state'], Tone> = {
  open: 'good',
  blocked: 'bad',
  pending: 'busy',
  none: 'quiet',
  unknown: 'quiet',
}

export function volumeTone(volume: Pick<Volume, 'state' | 'export'>): Tone {
  if (volume.state === 'ready') return EXPORT[volume.export.state]
  return volume.state === 'stuck' ? 'bad' : 'busy'
}

/** i18n key of the word that goes with the tone. */
export const volumeWord = (volume: Pick<Volume, 'state' | 'export'>): string =>
  volume.state === 'ready' ? `exports.${volume.export.state}` : `states.${volume.state}`

/** "host1 · LUN 3", "db1 · NSID 1". */
export const ownerText = ({ host, host_group, family, lun }: MappedTo): string =>
  `${host ?? host_group} · ${family === 'nvme' ? 'NSID' : 'LUN'} ${lun}`

/** The page of the host, or the group in the list of groups. */
export const ownerPage = ({
  host,
  host_group: group,
}: Pick<MappedTo, 'host' | 'host_group'>): RouteLocationRaw =>
  host === null ? { name: 'hostGroups', query: { q: group } } : { name: 'host', params: { host } }
