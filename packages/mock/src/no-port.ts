import { MockUsageError } from './errors.ts'
import type { OpenPort } from './port.ts'

/** Replaces `port.ts` in runtimes other than Node. */
export const listen = async (): Promise<OpenPort> => {
  throw new MockUsageError(
    'createMock: this runtime cannot listen on a port. Leave out "port" to run the mock in process or as msw handlers.',
  )
}
