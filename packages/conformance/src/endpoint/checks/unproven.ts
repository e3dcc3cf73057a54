import type { EndpointCheck } from '../check.ts'
import type { OutgoingRequest } from '../send.ts'
import { type Forgery, refuse } from './forgery.ts'

/*
 * Forgeries that may fool endpoints whatever proves who the sender is: a signature, a header or a token. Each is made from a
 * forgery in which the proof is missing or wrong.
 */

type Forgeries = Readonly<Record<string, Forgery>>
type Headers = OutgoingRequest['headers']

/** Creates a forgery with changed headers. */
const withHeaders =
  (forge: Forgery, change: (headers: Headers) => Headers): Forgery =>
  (genuine, examination) => {
    const forged = { headers: genuine.headers, ...forge(genuine, examination) }
    return { ...forged, headers: change(forged.headers) }
  }

const withType = (forge: Forgery, type: string): Forgery =>
  withHeaders(forge, (headers) => ({ ...headers, 'content-type': type }))

/** Lists the fields of a form that parsers for forms read like this value: `summary[recap]`. */
const listFields = (name: string, value: unknown): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, each]) => listFields(`${name}[${key}]`, each))
    : [[name, String(value)]]

const form = 'application/x-www-form-urlencoded'

/** Some endpoints read forms, too, as for a login. */
const asForm =
  (forge: Forgery): Forgery =>
  (genuine, examination) => {
    const event: Record<string, unknown> = JSON.parse(genuine.body.toString())
    const fields = Object.entries(event).flatMap(([name, value]) => listFields(name, value))
    return {
      ...withType(forge, form)(genuine, examination),
      body: Buffer.from(`${new URLSearchParams(fields)}`),
    }
  }

/** Varies the type of a forgery's body. Some endpoints verify only what their JSON parser has read. */
export const varyType = (forge: Forgery): Forgeries => ({
  ...Object.fromEntries(
    ['text/plain', 'application/xml', form].map((type) => [`the type ${type}`, withType(forge, type)]),
  ),
  'the fields of a form': asForm(forge),
  'no type': withHeaders(forge, ({ 'content-type': _, ...headers }) => headers),
})

/** Writes patterns where the proof belongs. An unquoted word in bash, and LIKE and GLOB in SQL, compare with a pattern. */
export const writePatterns = (what: string, write: (pattern: string) => Forgery): Forgeries =>
  Object.fromEntries(['*', '%'].map((pattern) => [`${what} ${pattern}`, write(pattern)]))

/** Headers that tell where a request came from or went to, with addresses that some endpoints trust. */
const nearby: Readonly<Record<string, Headers>> = {
  'x-forwarded-for: 127.0.0.1': { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  'x-forwarded-for: 10.0.0.1': { 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1' },
  // In development, some endpoints verify nothing, and recognize it by the host.
  'host: localhost': { host: 'localhost' },
  'forwarded: for=127.0.0.1': { forwarded: 'for=127.0.0.1;host=localhost', 'x-forwarded-host': 'localhost' },
}

/** Creates a check that sends a forgery with headers that claim a trusted address. */
export const refuseFromNearby = (
  forge: Forgery,
): Pick<EndpointCheck, 'expected' | 'requests' | 'risk' | 'fix' | 'run'> => ({
  risk: 'Anyone can write x-forwarded-for: 127.0.0.1. A check that trusts it lets every stranger in.',
  fix: 'Verify every request. Anyone can put any address into a header.',
  ...refuse(
    Object.fromEntries(
      Object.entries(nearby).map(([label, claimed]) => [
        label,
        withHeaders(forge, (headers) => ({ ...headers, ...claimed })),
      ]),
    ),
  ),
})
