import timers from 'node:timers'
import { createHeap, type HeapItem, notInHeap } from '../../../../packages/core/src/delivery/heap.ts'
import type { Draws } from './random.ts'

/** The real `setImmediate`, because runs replace the timers of this thread. */
const { setImmediate } = timers

/** An owner of tasks, such as a server, an endpoint, a client, the store or the network. */
export type Owner = {
  readonly name: string
  /** The tasks of a paused owner wait. The tasks of an ended owner never run. */
  state: 'running' | 'paused' | 'ended'
  /** The tasks that have become due since the owner was paused. */
  held: Task[]
}

export type Task = HeapItem & {
  at: number
  readonly order: number
  readonly label: string
  readonly owner: Owner
  run: (() => void) | undefined
}

export type TaskOptions = {
  /** @default the owner of the running task */
  readonly owner?: Owner
  readonly delayMs: number
  /** The purpose of the task, for the trace. */
  readonly label: string
}

export type EventLoop = ReturnType<typeof createEventLoop>

export const createOwner = (name: string): Owner => ({ name, state: 'running', held: [] })

const isBefore = (left: Task, right: Task): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

/** Creates a loop that runs tasks in virtual time. `onTask` is called before each task. */
export const createEventLoop = (draws: Draws, onTask: (task: Task) => void) => {
  const tasks = createHeap<Task>(isBefore)
  const harness = createOwner('harness')
  let now = 0
  let current = harness
  let count = 0
  /** The number of pending promises that were passed to `waitFor`. */
  let working = 0

  const runNext = (): boolean => {
    const task = tasks.peek()
    if (task === undefined) return false
    tasks.remove(task)
    now = Math.max(now, task.at)
    const { owner, run } = task
    if (owner.state === 'ended' || run === undefined) return true
    if (owner.state === 'paused') {
      owner.held.push(task)
      return true
    }
    count++
    current = owner
    onTask(task)
    run()
    return true
  }

  return {
    /** Returns the milliseconds since the start of the run. */
    now: (): number => now,
    current: (): Owner => current,
    /** Returns the number of tasks that have run so far. */
    steps: (): number => count,
    schedule: ({ owner = current, delayMs, label }: TaskOptions, run: () => void): Task => {
      // Tasks that are due at the same time run in random order.
      const order = draws.next(`${owner.name} ${label}`)
      const task: Task = { at: now + Math.max(0, delayMs), order, label, owner, run, slot: notInHeap }
      if (owner.state !== 'ended') tasks.put(task)
      return task
    },
    cancel: (task: Task): void => {
      task.run = undefined
      tasks.remove(task)
    },
    resume: (owner: Owner): void => {
      if (owner.state !== 'paused') return
      owner.state = 'running'
      for (const task of owner.held.splice(0)) {
        task.at = now
        tasks.put(task)
      }
    },
    /** Starts no further task until a promise is settled. Waiting takes real time, but no virtual time. */
    waitFor: (work: Promise<unknown>): void => {
      const end = (): void => {
        working--
      }
      working++
      work.then(end, end)
    },
    /** Runs each task and its microtasks, until `isOver` returns `true` or no task is left. */
    run: (isOver: () => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        // Node runs all pending microtasks between two immediates.
        const step = (): void => {
          try {
            if (working > 0) return void setImmediate(step)
            current = harness
            if (isOver() || !runNext()) resolve()
            else setImmediate(step)
          } catch (error) {
            reject(error)
          }
        }
        setImmediate(step)
      }),
  }
}
