/** Whether a host or group is served, as one tone; the word is `exports.<state>`. */
import type { Export } from '@/api'
import type { Tone } from '@/ui/tone'

const TONES: Record<Export['state'], Tone> = {
  open: 'good',
  blocked: 'bad',
  pending: 'busy',
  none: 'quiet',
  unknown: 'quiet',
}

export const exportTone = (shown: Pick<Export, 'state'>): Tone => TONES[shown.state]
