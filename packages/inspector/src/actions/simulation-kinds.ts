import type { FieldGroup } from '../parts/schema-form.tsx'

/** Form values for a common case. */
export type Preset = { readonly title: string; readonly values: Readonly<Record<string, string>> }

/** A kind of simulation: its schema in the OpenAPI document, and the layout of its form. */
type SimulationKind = {
  readonly schema: string
  readonly submitLabel: string
  readonly presets: readonly Preset[]
  readonly groups: readonly FieldGroup[]
}

export const kinds = {
  call: {
    schema: 'SimulatedCallRequest',
    submitLabel: 'Simulate the call',
    presets: [
      { title: 'Answered, with a summary', values: { outcome: 'answered' } },
      { title: 'Summary after 30 s', values: { outcome: 'answered', summary: '{"after": "30s"}' } },
      { title: 'Missed', values: { outcome: 'missed' } },
      { title: 'Not recorded', values: { outcome: 'no_recording' } },
      { title: 'Outgoing, on WhatsApp', values: { direction: 'OUTGOING', channel: 'WHATSAPP' } },
    ],
    groups: [
      { title: 'What happens', fields: ['outcome', 'durationInSeconds', 'summary'] },
      { title: 'Who', fields: ['direction', 'channel', 'channelNumber', 'customerNumber', 'agentNumber'] },
    ],
  },
  participant: {
    schema: 'ParticipantStepRequest',
    submitLabel: 'Simulate the step',
    presets: ['joined', 'left', 'removed'].map((state) => ({ title: state, values: { state } })),
    groups: [{ title: 'Who does what', fields: ['groupId', 'phone', 'state'] }],
  },
  fault: {
    schema: 'FaultRequest',
    submitLabel: 'Inject the fault',
    presets: [
      { title: 'Unavailable, 503', values: { status: '503', retryAfterSeconds: '1' } },
      { title: 'Rate limited, 429', values: { status: '429', retryAfterSeconds: '2' } },
      { title: 'Slow, 3 s', values: { latencyMs: '3000' } },
      { title: 'Response lost', values: { truncated: 'true' } },
      { title: 'HTML from a gateway', values: { html: 'true' } },
    ],
    groups: [
      { title: 'Which requests', fields: ['endpoint', 'times', 'chance'] },
      { title: 'Response', fields: ['status', 'code', 'message', 'retryAfterSeconds', 'latencyMs'] },
    ],
  },
} as const satisfies Record<string, SimulationKind>

export type Kind = keyof typeof kinds
