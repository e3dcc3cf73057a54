import { signal } from '@preact/signals'
import type { ServerInfo } from '@wabakit/server/control-types'
import { send } from './send.ts'

/** What the server is and may do, once it is known. */
export const info = signal<ServerInfo | undefined>(undefined)

export const loadInfo = async (): Promise<void> => {
  info.value = await send<ServerInfo>('/info')
}
