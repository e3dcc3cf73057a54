import { signal } from '@preact/signals'
import type { Subscription } from '@wabakit/server/control-types'
import { perform } from '../api/reload.ts'
import { Dialog } from '../parts/dialog.tsx'
import { SchemaForm } from '../parts/schema-form.tsx'
import { changeSubscription } from './subscription-actions.ts'

const limited = signal<Subscription | undefined>(undefined)

/** Asks for the maximum number of attempts per second. */
export const askForLimit = (subscription: Subscription): void => {
  limited.value = subscription
}

const close = (): void => {
  limited.value = undefined
}

const fields = [
  {
    name: 'maxAttemptsPerSecond',
    description: 'From 0.01 to 1,000. Empty: no maximum.',
    isRequired: false,
    kind: 'number',
    choices: [],
  },
] as const

export const LimitDialog = () => {
  if (limited.value === undefined) return null
  const { id, maxAttemptsPerSecond } = limited.value
  return (
    <Dialog title="Limit attempts per second" onClose={close}>
      <SchemaForm
        fields={fields}
        groups={[{ title: 'Attempts to this endpoint', fields: ['maxAttemptsPerSecond'] }]}
        initial={{ maxAttemptsPerSecond: String(maxAttemptsPerSecond ?? '') }}
        submitLabel="Save"
        onSubmit={async (body) => {
          await changeSubscription(id, { maxAttemptsPerSecond: null, ...body })
          close()
          await perform(async () => 'Saved.')
        }}
      />
    </Dialog>
  )
}
