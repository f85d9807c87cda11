/** Provided over the pages: true while the appliance does not answer, so that "none" would be no more than a guess. */
import type { InjectionKey, Ref } from 'vue'

export const UNCERTAIN: InjectionKey<Readonly<Ref<boolean>>> = Symbol('uncertain')
