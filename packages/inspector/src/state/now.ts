import { signal } from '@preact/signals'

/** The time of a virtual clock, as Unix time in milliseconds; `undefined` if the host follows the machine's clock. */
export const virtualNow = signal<number | undefined>(undefined)

/** Returns the host's time, as Unix time in milliseconds. */
export const getNow = (): number => virtualNow.value ?? Date.now()
