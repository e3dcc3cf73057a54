import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseEvent } from '../index.ts'

const summary = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId: 'call-1',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-01T10:00:00Z',
  callEndedAt: '2026-01-01T10:00:42Z',
  from: '+14155550100',
  to: '+14155550123',
  channelNumber: '+14155550100',
  customerNumber: '+14155550123',
  callType: 'AI_BOT',
  triggeredVia: 'API',
  summary: { recap: 'A short call.', keyPoints: [], nextSteps: [] },
}
const json = (value: unknown) => JSON.stringify(value)
const getError = (input: string | Uint8Array, maxBytes = 1_000): unknown => {
  try {
    return parseEvent(input, { maxBytes })
  } catch (error) {
    return error
  }
}
const getCode = (input: string | Uint8Array | object, maxBytes = 1_000) => {
  try {
    return parseEvent(input, { maxBytes }).kind
  } catch (error) {
    return Object(error).code
  }
}

describe('a body', () => {
  it('may be bytes, an ArrayBuffer, text or a parsed object', () => {
    const bytes = new TextEncoder().encode(json(summary))
    for (const input of [
      bytes,
      bytes.buffer,
      Buffer.from(bytes),
      new DataView(bytes.buffer),
      json(summary),
      summary,
    ]) {
      expect(parseEvent(input)).toMatchObject({ kind: 'event', event: summary, recognizedBy: 'event' })
    }
  })

  it('may start with a byte order mark', () => {
    const text = `\ufeff${json(summary)}`
    for (const input of [text, new TextEncoder().encode(text)]) expect(parseEvent(input).kind).toBe('event')
  })

  it('keeps byte order marks in its strings', () => {
    const text = json({ event: 'CALL_ENDED', callId: 'a\ufeffb' })
    for (const input of [text, new TextEncoder().encode(text)])
      expect(parseEvent(input)).toMatchObject({ event: { callId: 'a\ufeffb' } })
  })

  it.each([
    '',
    ' ',
    '{',
    "{'event':'X'}",
    'event=CALL_ENDED',
    '<html></html>',
    '{"a":1}{"b":2}',
    '{"a":01}',
    'NaN',
  ])('%j is not_json', (text) => {
    expect(getCode(text)).toBe('not_json')
  })

  it('is quoted in the cause without its control characters', () => {
    const error = getError('{"a":\u001b[2J\u009b\u202e}')
    expect(Object(error).cause).toBeInstanceOf(SyntaxError)
    const text = inspect(error)
    expect(text).toContain('\\u001b')
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  })

  it.each(['[]', '"text"', '1', 'true', 'null', '[{"event":"CALL_ENDED"}]'])(
    '%s is not_an_object',
    (text) => {
      expect(getCode(text)).toBe('not_an_object')
    },
  )

  it('that is not UTF-8 is not_utf8', () => {
    for (const bytes of [[0xff], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
      expect(getCode(Uint8Array.from(bytes))).toBe('not_utf8')
    }
  })

  it('is too_large beyond the limit, which counts bytes', () => {
    const sized = (text: string) => json({ event: text })
    expect(getCode(sized('a'.repeat(988)))).toBe('unknown')
    expect(getCode(sized('a'.repeat(989)))).toBe('too_large')
    expect(getCode(sized('é'.repeat(494)))).toBe('unknown')
    expect(getCode(sized('é'.repeat(495)))).toBe('too_large')
    expect(getCode(new TextEncoder().encode(sized('é'.repeat(495))))).toBe('too_large')
  })

  it('that cannot be parsed is explained to its sender', () => {
    const bodies = ['{', Uint8Array.of(0xff), '[]', `"${'a'.repeat(1_000)}"`]
    expect(bodies.map((body) => getError(body))).toMatchObject([
      { message: expect.stringMatching(/JSON/), cause: expect.any(SyntaxError) },
      { message: expect.stringMatching(/UTF-8/), cause: expect.any(TypeError) },
      { message: expect.stringMatching(/JSON object/) },
      { message: expect.stringMatching(/1000 bytes/) },
    ])
  })

  it('nested 100,000 levels deep has a typed outcome', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(getCode(`{"event":"CALL_ENDED","callId":"c","x":${deep}}`, 1_000_000)).toBe('event')
    expect(getCode(`{"event":${deep}}`, 1_000_000)).toBe('unknown')
    expect(getCode(deep, 1_000_000)).toBe('not_an_object')
    expect(getCode(json({ ...summary, summary: 0 }).replace(':0', `:${deep}`), 1_000_000)).toBe('drifted')
  })

  it('takes the last of duplicate keys, as JSON.parse does', () => {
    expect(parseEvent('{"event":"CALL_ENDED","callId":"a","callId":"b"}')).toMatchObject({
      event: { callId: 'b' },
    })
  })

  it('may contain NUL and lone surrogates in its strings', () => {
    const parsed = parseEvent(String.raw`{"event":"CALL_ENDED","callId":"a\u0000\ud800"}`)
    expect(parsed).toMatchObject({ kind: 'event', event: { callId: 'a\0\ud800' } })
  })

  it('cannot reach a prototype through __proto__', () => {
    const parsed = parseEvent(
      '{"event":"CALL_ENDED","callId":"c","__proto__":{"polluted":1},"constructor":{"x":1}}',
    )
    if (parsed.kind !== 'event') throw new Error(parsed.kind)
    expect(Object.getPrototypeOf(parsed.event)).toBe(Object.prototype)
    expect('polluted' in parsed.event || 'polluted' in {}).toBe(false)
  })

  it('cannot name its event through a prototype', () => {
    expect(parseEvent(Object.create({ event: 'CALL_ENDED', callId: 'c' }))).toMatchObject({ kind: 'unknown' })
  })

  it('cannot name its event through __proto__', () => {
    const parsed = parseEvent('{"__proto__":{"event":"CALL_ENDED","callId":"c"}}')
    expect(parsed).toMatchObject({ kind: 'unknown', name: undefined })
  })
})

describe('an event', () => {
  it('is recognized by event, otherwise by eventType', () => {
    expect(parseEvent({ eventType: 'CALL_ENDED', callId: 'c' })).toMatchObject({
      kind: 'event',
      recognizedBy: 'eventType',
      event: { event: 'CALL_ENDED', callId: 'c' },
    })
    const both = { event: 'CALL_ACCEPTED', eventType: 'CALL_ENDED', callId: 'c' }
    expect(parseEvent(both)).toMatchObject({ recognizedBy: 'event', event: { event: 'CALL_ACCEPTED' } })
  })

  it('with the timestamps of two events is unknown', () => {
    const both = { groupId: 'g', participantJoinedAt: '', participantLeftAt: '' }
    expect(parseEvent(both)).toEqual({ kind: 'unknown', name: undefined, raw: both })
  })

  it('with an unknown name is unknown, whatever its other fields', () => {
    const raw = { event: 'CALL_TRANSFERRED', eventType: 'CALL_ENDED', groupCreatedAt: '' }
    expect(parseEvent(raw)).toEqual({ kind: 'unknown', name: 'CALL_TRANSFERRED', raw })
  })

  it.each(['toString', '__proto__', 'constructor', 'hasOwnProperty'])('named %s is unknown', (event) => {
    expect(parseEvent(`{"event":"${event}"}`)).toMatchObject({ kind: 'unknown', name: event })
  })

  it.each([
    {},
    { type: 'wa_group', to: '1', from: '2', messageId: 'm' },
    { event: 7 },
    { event: null },
    { event: '' },
  ])('like %j is unknown and has no name', (raw) => {
    expect(parseEvent(raw)).toEqual({ kind: 'unknown', name: undefined, raw })
  })

  it('with fields that do not match has drifted, and lists them', () => {
    const raw = { ...summary, channel: null, summary: { recap: 1, keyPoints: ['a', 2], nextSteps: [] } }
    const parsed = parseEvent(raw)
    expect(parsed).toMatchObject({ kind: 'drifted', name: 'CALL_AI_SUMMARY', raw })
    if (parsed.kind !== 'drifted') throw new Error(parsed.kind)
    expect(parsed.issues.map(({ path }) => path).sort()).toEqual([
      'channel',
      'summary.keyPoints.1',
      'summary.recap',
    ])
  })

  it('of a group whose id is not resolved yet is an event, by name and by shape', () => {
    expect(parseEvent({ event: 'GROUP_CREATED', groupId: null })).toMatchObject({ kind: 'event' })
    expect(parseEvent({ groupId: null, participantLeftAt: '' })).toMatchObject({
      kind: 'event',
      event: { event: 'GROUP_PARTICIPANT_LEFT', groupId: null },
    })
    expect(parseEvent({ event: 'GROUP_CREATED' })).toMatchObject({ kind: 'drifted' })
  })
})
