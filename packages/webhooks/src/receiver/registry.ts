import type { ParsedEvent } from '../parse/parse-event.ts'
import type { Binding } from './bindings.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { assertAboveZero } from './options.ts'

/** Options of one handler. */
export type HandlerOptions = {
  /**
   * Milliseconds until `context.signal` aborts and the delivery counts as failed.
   * @default the receiver's `handlerTimeoutMs`
   */
  readonly timeoutMs?: number
}

/** A handler that is to be called for one delivery. */
export type Task<Transaction> = {
  readonly run: (context: DeliveryContext<Transaction>) => unknown
  readonly timeoutMs: number | undefined
}

type Registration<Transaction> = {
  readonly bind: Binding<Transaction>
  readonly timeoutMs: number | undefined
}

/** The handlers of a receiver, in the order of their registration. */
export const createRegistry = <Transaction>(defaultTimeoutMs: number | undefined) => {
  let registrations: readonly Registration<Transaction>[] = []
  return {
    /** Adds a handler; the function that it returns removes it again. */
    add: (
      bind: Binding<Transaction>,
      { timeoutMs = defaultTimeoutMs }: HandlerOptions = {},
    ): (() => void) => {
      assertAboveZero('timeoutMs', timeoutMs)
      const registration = { bind, timeoutMs }
      registrations = [...registrations, registration]
      return () => {
        registrations = registrations.filter((each) => each !== registration)
      }
    },
    /** The handlers that are for this. */
    tasksFor: (parsed: ParsedEvent): Task<Transaction>[] => {
      const tasks: Task<Transaction>[] = []
      for (const { bind, timeoutMs } of registrations) {
        const run = bind(parsed)
        if (run !== undefined) tasks.push({ run, timeoutMs })
      }
      return tasks
    },
  }
}
