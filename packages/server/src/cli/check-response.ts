import type { Operation } from '@wabakit/core/control'
import * as z from 'zod/mini'

const countParameters = ({ path }: Operation): number => path.split(':').length

/** Finds the operation of a request. Of several paths that match, the one with fewer parameters is the more specific one. */
const findOperation = async (method: string, path: string): Promise<Operation | undefined> => {
  const { operations } = await import('@wabakit/core/control')
  return operations
    .filter((each) => each.method === method)
    .filter((each) => new RegExp(`^${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
    .toSorted((left, right) => countParameters(left) - countParameters(right))[0]
}

type Responded = {
  readonly method: string
  /** The path below `/_wabakit`, with its query. */
  readonly path: string
  readonly status: number
  readonly value: unknown
}

/**
 * Returns how the status of a response, or a type in it, differs from that of a wabakit server of this version; `undefined` if
 * neither does, or there is no such operation. Values that only a newer version knows, such as another state of a call, are not a
 * difference.
 */
export const findDeviation = async ({
  method,
  path,
  status,
  value,
}: Responded): Promise<string | undefined> => {
  const operation = await findOperation(method, path.replace(/\?.*/, ''))
  if (operation === undefined) return undefined
  if (status !== operation.status) return `its status is ${status}, not ${operation.status}`
  if (operation.result === undefined) return undefined
  const { error } = z.safeParse(operation.result, value)
  const issue = error?.issues.find(({ code }) => code === 'invalid_type')
  if (issue === undefined) return undefined
  return issue.path.length === 0 ? 'it is not an object' : `its ${issue.path.join('.')} has another type`
}
