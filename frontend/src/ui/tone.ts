/** How much attention a state needs. Features map their states to a tone; colors are chosen in one place. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet'
