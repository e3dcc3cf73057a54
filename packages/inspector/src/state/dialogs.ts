import { signal } from '@preact/signals'

export const isHelpOpen = signal(false)

export const isSimulationOpen = signal(false)
