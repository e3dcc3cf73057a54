import { type EventName, eventNames } from '@wabakit/contract'
import { eventForms, listVariants, type MeasuredProfile, playField } from '@wabakit/contract/profile'
import { type Fields, type SparseEvent, writeLiveCall } from './sparse-events.ts'

type MeasuredEvent = Pick<SparseEvent, 'name' | 'change'> & { readonly label: string }

/** Writes the usual event of a form, before its fields get the kinds that were seen. */
const writeForm = (name: EventName, channel: string | undefined): SparseEvent['change'] => {
  if (channel === undefined) return (event) => event
  if (channel === 'WHATSAPP' && name !== 'CALL_AI_SUMMARY') return writeLiveCall
  return (event) => ({ ...event, channel })
}

const nameEvent = (event: Fields, field: 'event' | 'eventType' | 'none' | undefined): Fields => {
  if (field === undefined || field === 'event') return event
  const { event: name, ...others } = event
  return field === 'none' ? others : { eventType: name, ...others }
}

/** Lists the events of a service as it was measured: as many of each as one of its fields has kinds, so that each kind is sent. */
export const listMeasuredEvents = ({ deliveries, events }: MeasuredProfile): readonly MeasuredEvent[] =>
  eventForms.flatMap((form) => {
    const [first = '', channel] = form.split('/')
    const name = eventNames.find((each) => each === first)
    const fields = Object.entries(events[form] ?? {}).map(
      ([path, answer]) => [path, listVariants(answer)] as const,
    )
    if (name === undefined || fields.length === 0) return []
    const names = channel === undefined ? listVariants(deliveries.groupEventName) : []
    const count = Math.max(1, names.length, ...fields.map(([, kinds]) => kinds.length))
    const write = writeForm(name, channel)
    return Array.from({ length: count }, (_, index) => ({
      label: `${form} as measured${count > 1 ? `, ${index + 1} of ${count}` : ''}`,
      name,
      change: (event: Fields): Fields => {
        const played = fields.reduce<Fields>(
          (body, [path, kinds]) =>
            kinds.length === 0
              ? body
              : playField(body, { path, kind: kinds[index % kinds.length], source: event }),
          write(event),
        )
        return nameEvent(played, names[index % names.length])
      },
    }))
  })
