import { useSignal } from '@preact/signals'
import type { Call, Group, Page } from '@wabakit/server/control-types'
import { organization, organizationId, sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { info, send } from '../api/send.ts'
import { Choice as Switch } from '../components/choice.tsx'
import { Dialog, type DialogControl, openDialog } from '../components/dialog.tsx'
import { type FieldGroup, SchemaForm } from '../components/schema-form.tsx'
import { LoadProblem } from '../components/status.tsx'
import { useRecord } from '../components/use-record.ts'
import { type Choice, toChoices } from '../format/choices.ts'
import { type Field, type JsonSchema, listFields } from '../format/schema-fields.ts'
import { notify } from '../state/notices.ts'
import { getParam, navigate, view } from '../state/route.ts'
import { Faults } from './faults.tsx'

type Preset = { readonly title: string; readonly values: Readonly<Record<string, string>> }

type Kind = 'call' | 'participant' | 'fault'

type SimulationKind = {
  readonly label: string
  readonly title: string
  /** The request's schema in the OpenAPI document. */
  readonly schema: string
  readonly submitLabel: string
  /** Form values for common cases. */
  readonly presets: readonly Preset[]
  readonly groups: readonly FieldGroup[]
  readonly run: (body: Record<string, unknown>) => Promise<void>
}

const kinds: Readonly<Record<Kind, SimulationKind>> = {
  call: {
    label: 'Call',
    title: 'From the first ring to the summary',
    schema: 'SimulatedCallRequest',
    submitLabel: 'Simulate the call',
    presets: [
      { title: 'Answered, with a summary', values: { outcome: 'answered' } },
      { title: 'Summary after 30 s', values: { outcome: 'answered', 'summary.after': '30s' } },
      { title: 'Missed', values: { outcome: 'missed' } },
      { title: 'Not recorded', values: { outcome: 'no_recording' } },
      { title: 'Outgoing, on WhatsApp', values: { direction: 'OUTGOING', channel: 'WHATSAPP' } },
    ],
    groups: [
      { title: 'What happens', fields: ['outcome', 'durationInSeconds'] },
      { title: 'Summary', fields: ['summary'] },
      { title: 'Who', fields: ['direction', 'channel', 'channelNumber', 'customerNumber', 'agentNumber'] },
    ],
    run: async (body) => {
      const { callId } = await sendOwn<Call>(['simulated-calls'], { body })
      navigate('calls', { id: callId })
    },
  },
  participant: {
    label: 'Participant',
    title: 'A person joins, leaves or is removed',
    schema: 'ParticipantStepRequest',
    submitLabel: 'Simulate the step',
    presets: ['joined', 'left', 'removed'].map((state) => ({ title: state, values: { state } })),
    groups: [{ title: 'Who does what', fields: ['groupId', 'phone', 'state'] }],
    run: async (body) => {
      await sendOwn(['participants'], { body })
      navigate('groups', { id: String(body.groupId) })
    },
  },
  fault: {
    label: 'Fault',
    title: 'The next API requests fail',
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
    run: async (body) => {
      await send(['faults'], { query: { organization: organizationId.value }, body })
      notify('The next requests to this endpoint will fail as requested.')
      reloadAll()
    },
  },
}

type OpenApi = { readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } }

/** Known values, by the name of the field that takes one of them. */
type Existing = Readonly<Record<string, readonly Choice[]>>

/** Lists the newest groups, and the customers of the newest calls, so that the user can choose one instead of typing it. */
const loadExisting = async (): Promise<Existing> => {
  const [groups, calls] = await Promise.all([
    sendOwn<Page<Group>>(['groups'], { query: { limit: 100 } }),
    sendOwn<Page<Call>>(['calls'], { query: { limit: 100 } }),
  ])
  const customers = new Set(calls.items.map(({ customerNumber }) => customerNumber))
  return {
    groupId: groups.items.map(({ groupId, subject }) => ({
      value: groupId,
      label: `${subject} · ${groupId}`,
    })),
    customerNumber: toChoices([...customers]),
  }
}

/** Lists the numbers of the organization, which may be loaded after the dialog was opened. */
const listNumbers = (): Choice[] => {
  const { integrations = [], pstnNumbers = [] } = organization.value ?? {}
  return [
    ...pstnNumbers.map((value) => ({ value, label: `${value} · PSTN` })),
    ...integrations.map(({ wabaNumber: value }) => ({ value, label: `${value} · WHATSAPP` })),
  ]
}

/** Offers the existing values. For a customer, they are only suggestions, because the customer can be new. */
const offer = (field: Field, existing: Existing): Field => {
  const choices = existing[field.name] ?? []
  if (choices.length === 0) return field
  return { ...field, choices, kind: field.name === 'customerNumber' ? 'text' : 'choice' }
}

const Simulation = ({ onClose }: DialogControl) => {
  const kind = useSignal<Kind>(view.value === 'groups' ? 'participant' : 'call')
  // A keyboard shortcut can open the dialog before the organization has loaded.
  const { value: known, problem } = useRecord(
    { load: () => Promise.all([send<OpenApi>(['openapi.json']), loadExisting()]) },
    [organizationId.value],
  )
  const preset = useSignal<Preset | undefined>(undefined)
  const existing = { ...known?.[1], channelNumber: listNumbers() }
  const { schema, submitLabel, presets, groups, run } = kinds[kind.value]
  const offered: readonly Kind[] = [
    'call',
    'participant',
    ...(info.value?.can.includes('faults') ? ['fault' as const] : []),
  ]
  const groupId = view.value === 'groups' ? getParam('id') : ''
  return (
    <Dialog title="Simulate" onClose={onClose}>
      <Switch
        label="What happens"
        value={kind.value}
        choices={offered.map((value) => ({ ...kinds[value], value }))}
        onChange={(value) => {
          kind.value = value
          preset.value = undefined
        }}
      />
      {kind.value === 'fault' && <Faults />}
      <div class="presets" role="group" aria-label="Presets">
        {presets.map((each) => (
          <button
            key={each.title}
            type="button"
            class="button"
            aria-pressed={each === preset.value}
            onClick={() => (preset.value = each)}
          >
            {each.title}
          </button>
        ))}
      </div>
      <LoadProblem text={problem} />
      {known !== undefined && (
        <SchemaForm
          key={`${kind.value} ${preset.value?.title}`}
          groups={groups}
          fields={listFields(known[0].components.schemas, schema).map((field) => offer(field, existing))}
          initial={{ groupId, phone: '+15550199001', ...preset.value?.values }}
          submitLabel={submitLabel}
          onSubmit={async (body) => {
            await run(body)
            if (kind.value !== 'fault') onClose()
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

export const openSimulation = (): void => openDialog((close) => <Simulation onClose={close} />)
