// Runs the client without the globals that React Native lacks. Prints the results as JSON.
const withheld: readonly (readonly [object, string])[] = [
  [URL, 'parse'],
  [AbortSignal, 'any'],
  [AbortSignal, 'timeout'],
  [AbortSignal.prototype, 'throwIfAborted'],
  [AbortSignal.prototype, 'reason'],
  ...['performance', 'crypto', 'ReadableStream', 'TextDecoder', 'DOMException', 'process'].map(
    (name) => [globalThis, name] as const,
  ),
]
const { process } = globalThis
// Node loads its fetch, which needs some of these, on first use.
new Request('https://a.example', { method: 'POST', body: '' })
const responses: (readonly [status: number, text: string])[] = [
  [200, '{"success":true,"groupId":"g"}'],
  [429, ''],
  [200, '{"success":true,"groupId":"after a retry"}'],
  [400, '{"message":"no"}'],
  [200, `{"success":"${'é'.repeat(70_000)}"}`],
]
for (const [owner, name] of withheld) {
  if (!Reflect.deleteProperty(owner, name) || name in owner) throw new Error(`cannot delete ${name}`)
}

const { createClient } = await import('@wabakit/client')

const print = (error: unknown) => ({
  error: String(error),
  body: Object(error).body ?? Object(error).cause?.body,
})
const results: unknown[] = []
const client = createClient({
  baseUrl: 'https://a.example',
  apiKey: 'key',
  retry: { limit: 1, backoffMs: [1, 1] },
  fetch: async () => {
    const [status, text] = responses.shift() ?? [404, '']
    return { status, ok: status < 300, headers: new Headers(), text: async () => text }
  },
})
const group = { wabaNumber: '+15550001111', subject: 'Order 7' }
while (responses.length > 0) results.push(await client.groups.create(group).catch(print))
const waiting = new AbortController()
const pending = client.calls.waitForSummary('c', { signal: waiting.signal }).catch(print)
waiting.abort()
results.push(await pending)
try {
  createClient({ baseUrl: 'a.example', apiKey: 'key' })
} catch (error) {
  results.push(print(error))
}
process.stdout.write(JSON.stringify(results))
