import { useSignal } from '@preact/signals'
import type { Call } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { info, send } from '../api/send.ts'
import { type JsonSchema, listFields } from '../format/schema-fields.ts'
import { Choice } from '../parts/choice.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SchemaForm } from '../parts/schema-form.tsx'
import { Problem } from '../parts/status.tsx'
import { useRecord } from '../parts/use-record.ts'
import { isSimulationOpen } from '../state/keyboard.ts'
import { notify } from '../state/notices.ts'
import { getParam, navigate, view } from '../state/route.ts'
import { ActiveFaults } from './active-faults.tsx'
import { type Kind, kinds, type Preset } from './simulation-kinds.ts'

const close = (): void => {
  isSimulationOpen.value = false
}

const run: Readonly<Record<Kind, (body: Record<string, unknown>) => Promise<void>>> = {
  call: async (body) => {
    const { callId } = await sendOwn<Call>('/simulated-calls', { method: 'POST', body })
    navigate('calls', { id: callId })
  },
  participant: async (body) => {
    await sendOwn('/participants', { method: 'POST', body })
    navigate('groups', { id: String(body.groupId) })
  },
  fault: async (body) => {
    await send('/faults', { method: 'POST', body })
    notify('The next requests to this endpoint will fail as requested.')
    reloadAll()
  },
}

type OpenApi = { readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } }

/** The dialog that simulates a call, a participant's step or, with `--mock`, a fault. */
export const SimulationDialog = () => {
  const kind = useSignal<Kind>(view.value === 'groups' ? 'participant' : 'call')
  const { value: openApi, problem } = useRecord({ load: () => send<OpenApi>('/openapi.json') }, [])
  const preset = useSignal<Preset | undefined>(undefined)
  const { schema, submitLabel, presets, groups } = kinds[kind.value]
  const groupId = view.value === 'groups' ? getParam('id') : ''
  return (
    <Dialog title="Simulate" onClose={close}>
      <div class="form">
        <Choice
          label="What happens"
          value={kind.value}
          choices={[
            { value: 'call', label: 'Call', title: 'From the first ring to the summary' },
            { value: 'participant', label: 'Participant', title: 'A person joins, leaves or is removed' },
            ...(info.value?.mock
              ? [{ value: 'fault' as const, label: 'Fault', title: 'The next API requests fail' }]
              : []),
          ]}
          onChange={(value) => {
            kind.value = value
            preset.value = undefined
          }}
        />
        {kind.value === 'fault' && <ActiveFaults />}
        <div class="presets" role="group" aria-label="Presets">
          {presets.map((each) => (
            <button
              key={each.title}
              type="button"
              class="button"
              aria-pressed={each === preset.value}
              onClick={() => {
                preset.value = each
              }}
            >
              {each.title}
            </button>
          ))}
        </div>
        <Problem text={problem} />
        {openApi !== undefined && (
          <SchemaForm
            key={`${kind.value} ${preset.value?.title}`}
            groups={groups}
            fields={listFields(openApi.components.schemas, schema)}
            initial={{ groupId, phone: '+15550199001', ...preset.value?.values }}
            submitLabel={submitLabel}
            onSubmit={async (body) => {
              await run[kind.value](body)
              if (kind.value !== 'fault') close()
            }}
          />
        )}
      </div>
    </Dialog>
  )
}
