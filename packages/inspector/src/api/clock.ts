import { signal } from '@preact/signals'
import type { MockClock } from '@wabakit/server/control-types'
import { virtualNow } from '../state/now.ts'
import { sendOwn } from './organization.ts'
import { createReload, perform } from './reload.ts'

/** The clock of a mock; `undefined` until it is loaded, and on other hosts. */
export const clock = signal<MockClock | undefined>(undefined)

const show = (loaded: MockClock): void => {
  clock.value = loaded
  virtualNow.value = loaded.isVirtual ? Date.parse(loaded.now) : undefined
}

/** Interval at which the clock is read again, in milliseconds: a test moves it without a message. */
const pollMs = 2_000

/** Keeps the clock up to date. Returns a function that stops the updates. */
export const followClock = (): (() => void) => {
  const load = async (): Promise<void> => show(await sendOwn<MockClock>(['clock']))
  const reload = createReload({ load: () => load().catch(() => {}), isAbout: () => true })
  reload.now()
  const polling = setInterval(reload.request, pollMs)
  return () => {
    clearInterval(polling)
    reload.stop()
  }
}

/** Moves the clock to a time at which something is due, and delivers what is due by then. */
export const advanceTo = (at: string): Promise<void> =>
  perform(async () => {
    const advance = Date.parse(at) - (virtualNow.value ?? 0)
    show(await sendOwn<MockClock>(['clock'], { body: { advance } }))
  }, 'Moved the clock.')
