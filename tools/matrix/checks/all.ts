import { checkClient, type Environment } from './client.ts'
import { checkMock } from './mock.ts'
import { checkReceiver } from './receiver.ts'

/** Checks client, receiver and mock in the current runtime. Rejects on the first failure. Returns the checks. */
export const checkAll = async (environment: Environment): Promise<string[]> => [
  ...(await checkClient(environment)),
  ...(await checkReceiver()),
  ...(await checkMock()),
]
