import { MockUsageError } from './errors.ts'
import type { OpenPort } from './port.ts'

const refuse = async (): Promise<never> => {
  throw new MockUsageError(
    'createMock: this runtime cannot listen on a port. Leave out "port" to run the mock in process or as msw handlers.',
  )
}

// These replace the functions of `port.ts` in runtimes without Node's modules, such as browsers.
export const listen: () => Promise<OpenPort> = refuse
export const servePage: () => Promise<Response> = refuse
export const toTracePath = (name: string): string => name
export const writeTrace = async (): Promise<never> => {
  throw new MockUsageError('saveTrace: this runtime cannot write files. Save traces in Node.js.')
}
