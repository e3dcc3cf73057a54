import { createAgenda } from './agenda.ts'
import { sleepRealTime } from './real-timers.ts'
import type { Sending, Timekeeper } from './timekeeper.ts'

/**
 * Time that only moves when it is told to.
 *
 * @param start - where it begins, as Unix time in milliseconds.
 * @param onError - gets what an appointment or the dispatcher failed with while nobody waited.
 */
export const createVirtualTime = (start: number, onError: (error: unknown) => void): Timekeeper => {
  const agenda = createAgenda()
  let time = start
  let sending: Sending | undefined
  let stopListening = (): void => {}

  const moveTo = (next: number): void => {
    time = Math.max(time, next)
  }

  const keepAppointments = async (until: number): Promise<void> => {
    for (let next = agenda.takeDue(until); next !== undefined; next = agenda.takeDue(until)) {
      moveTo(next.at)
      await next.run()
    }
  }

  const advanceTo = async (target: number): Promise<void> => {
    for (;;) {
      await keepAppointments(time)
      await sending?.dispatcher.runDue()
      const dueAt = await sending?.dispatcher.nextDueAt()
      const next = Math.min(agenda.nextAt() ?? Number.POSITIVE_INFINITY, dueAt ?? Number.POSITIVE_INFINITY)
      if (next > target || sending === undefined) break
      moveTo(next)
    }
    moveTo(target)
  }

  const send = (): void => {
    sending?.dispatcher.runDue().catch(onError)
  }

  let advances: Promise<unknown> = Promise.resolve()
  return {
    now: () => time,
    schedule: agenda.add,
    upcoming: agenda.list,
    advance: (ms) => {
      // One at a time: two calls of 30 s make 60 s.
      const advance = advances.then(() => advanceTo(time + ms))
      advances = advance.catch(() => {})
      return advance
    },
    sleep: async (ms, signal) => {
      const target = time + ms
      // A turn of real time, in which others can work, and begin sleeps that overlap with this one.
      await sleepRealTime(0, signal)
      await keepAppointments(target)
      moveTo(target)
      send()
    },
    start: (parts) => {
      sending = parts
      stopListening = parts.store.onDue(send)
    },
    stop: async () => {
      const stopping = sending?.dispatcher.stop({ graceMs: 0 })
      stopListening()
      sending = undefined
      await stopping
    },
  }
}
