import { signal } from '@preact/signals'
import { send } from './send.ts'

export type Info = {
  readonly version: string
  /** Whether the server injects faults, and forges events. */
  readonly mock: boolean
  readonly database: string
  readonly url: string
}

/** What the server is and may do, once it is known. */
export const info = signal<Info | undefined>(undefined)

export const loadInfo = async (): Promise<void> => {
  info.value = await send<Info>('/info')
}
