import { MockUsageError } from '../errors/mock-usage-error.ts'
import type { Appointment } from './agenda.ts'
import { afterRealTime, sleepRealTime } from './real-timers.ts'
import type { Sending, Timekeeper } from './timekeeper.ts'

/**
 * The machine's time: everything happens when it is due, and nothing can be hurried.
 *
 * @param onError - gets what an appointment failed with.
 */
export const createMachineTime = (onError: (error: unknown) => void): Timekeeper => {
  const timers = new Map<Appointment, () => void>()
  let sending: Sending | undefined
  return {
    now: () => Date.now(),
    schedule: (appointment) => {
      const run = (): void => {
        timers.delete(appointment)
        appointment.run().catch(onError)
      }
      timers.set(appointment, afterRealTime(Math.max(0, appointment.at - Date.now()), run))
    },
    upcoming: () => [...timers.keys()].sort((a, b) => a.at - b.at),
    advance: async () => {
      throw new MockUsageError(
        "clock.advance: this mock runs on the machine's clock, which cannot be moved. Wait, or make it with createMock({ clock: 'virtual' }), the default.",
      )
    },
    sleep: sleepRealTime,
    start: (parts) => {
      sending = parts
      parts.dispatcher.start()
    },
    stop: async () => {
      for (const stopTimer of timers.values()) stopTimer()
      timers.clear()
      await sending?.dispatcher.stop({ graceMs: 0 })
    },
  }
}
