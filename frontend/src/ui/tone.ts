/** How much a state should draw the eye. Features map their states to a tone; colours are chosen in one place. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet'
