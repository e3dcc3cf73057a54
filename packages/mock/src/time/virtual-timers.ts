import type { DeliveryWorker, ScheduledTask, TaskTimers } from './task-timers.ts'
import { sleepRealTime } from './timers.ts'

/**
 * Creates timers whose clock advances only on request. A delivery that is due now is sent at once. A retry, or a
 * delivery with the fault `delay`, is sent when the clock reaches its time. The fault `latencyMs` of a request and the time
 * limits of attempts and waits are real time.
 *
 * @param startAt - Unix time in milliseconds.
 */
export const createVirtualTimers = (startAt: number): TaskTimers => {
  let time = startAt
  let tasks: readonly ScheduledTask[] = []
  let worker: DeliveryWorker | undefined
  let unsubscribe = (): void => {}

  const moveTo = (next: number): void => {
    if (next <= time) return
    worker?.onLeave?.()
    time = next
  }

  const runTasks = async (until: number): Promise<void> => {
    for (let [next] = tasks; next !== undefined && next.at <= until; [next] = tasks) {
      tasks = tasks.slice(1)
      moveTo(next.at)
      await next.run()
    }
  }

  const advanceTo = async (target: number): Promise<void> => {
    for (;;) {
      await runTasks(time)
      await worker?.dispatcher.runDue()
      const dueAt = await worker?.dispatcher.nextDueAt()
      const next = Math.min(tasks[0]?.at ?? Number.POSITIVE_INFINITY, dueAt ?? Number.POSITIVE_INFINITY)
      if (next > target || worker === undefined) break
      moveTo(next)
    }
    moveTo(target)
  }

  const deliver = (): void => {
    worker?.dispatcher.runDue().catch(console.error)
  }

  let advances: Promise<unknown> = Promise.resolve()
  return {
    isVirtual: true,
    now: () => time,
    schedule: (task) => {
      tasks = [...tasks, task].sort((a, b) => a.at - b.at)
    },
    listTasks: () => tasks,
    advance: (ms) => {
      // Advances run one after another, so that two concurrent advances of 30 s move the clock by 60 s.
      const advance = advances.then(() => advanceTo(time + ms))
      advances = advance.catch(() => {})
      return advance
    },
    sleep: async (ms, signal) => {
      const target = time + ms
      // Lets other sleeps start, so that concurrent sleeps overlap.
      await sleepRealTime(0, signal)
      await runTasks(target)
      moveTo(target)
      deliver()
    },
    start: (started) => {
      worker = started
      unsubscribe = started.store.listen(deliver)
    },
    stop: async () => {
      const stopping = worker?.dispatcher.stop({ graceMs: 0 })
      unsubscribe()
      worker = undefined
      await stopping
    },
  }
}
