import { MockUsageError } from '../errors.ts'
import type { DeliveryWorker, ScheduledTask, TaskTimers } from './task-timers.ts'
import { afterMachineTime, sleepMachineTime } from './timers.ts'

/** Creates timers that follow the machine's clock, or the fake timers of a test. */
export const createMachineTimers = (): TaskTimers => {
  const timers = new Map<ScheduledTask, () => void>()
  let worker: DeliveryWorker | undefined
  return {
    isVirtual: false,
    now: () => Date.now(),
    schedule: (task) => {
      const run = (): void => {
        timers.delete(task)
        task.run().catch(console.error)
      }
      timers.set(task, afterMachineTime(Math.max(0, task.at - Date.now()), run))
    },
    listTasks: () => [...timers.keys()].sort((a, b) => a.at - b.at),
    advance: async () => {
      throw new MockUsageError(
        "clock.advance: this mock follows the machine's clock, which cannot be moved. Wait instead, or create the mock with { clock: 'virtual' }, the default.",
      )
    },
    sleep: sleepMachineTime,
    start: (started) => {
      worker = started
      worker.dispatcher.start()
    },
    stop: async () => {
      for (const cancel of timers.values()) cancel()
      timers.clear()
      await worker?.dispatcher.stop({ graceMs: 0 })
    },
  }
}
