import { MockUsageError } from './errors/mock-usage-error.ts'
import type { OpenPort } from './port.ts'

/** Where a runtime cannot listen. */
export const listen = async (): Promise<OpenPort> => {
  throw new MockUsageError(
    'createMock: this runtime cannot listen on a port. Leave port out: in process, and as msw handlers, the mock runs anywhere.',
  )
}
