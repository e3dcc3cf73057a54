import { isError } from '@wabakit/wire'

export type Hide = (text: string) => string

const sensitive = /auth|key|token|secret|cookie|password/i

/**
 * Lists the secrets of a request: the key, the headers that `auth` set (with and without their scheme), and all other
 * headers whose names suggest a secret.
 */
export const listSecrets = (apiKey: string | undefined, visible: Headers, sent: Headers): string[] => {
  const secrets = new Set([apiKey ?? ''])
  for (const [name, value] of sent) {
    if (visible.get(name) === value && !sensitive.test(name)) continue
    secrets.add(value)
    secrets.add(value.slice(value.indexOf(' ') + 1))
  }
  return [...secrets].filter(Boolean)
}

const maxDepth = 4

/**
 * Returns a copy of a cause with its names, messages, codes and stacks, without secrets. The original may contain the request, or
 * quote a response that is not HTTP.
 */
export const copyWithoutSecrets = (cause: unknown, hide: Hide, depth = 0): unknown => {
  if (!isError(cause)) return typeof cause === 'string' ? hide(cause) : undefined
  if (depth > maxDepth) return undefined
  const copy = new Error(hide(cause.message), { cause: copyWithoutSecrets(cause.cause, hide, depth + 1) })
  for (const name of ['name', 'code', 'stack']) {
    const text = Reflect.get(cause, name)
    if (text !== undefined) Reflect.set(copy, name, hide(`${text}`))
  }
  return copy
}
