import { Channel, JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'
import { ControlError, requireFound } from '../../hosting/control-error.ts'
import type { OrganizationRecord, ReferenceServer } from '../../index.ts'
import { optional, phoneNumber } from '../../values/input-schemas.ts'
import { toDigits } from '../../values/phone-number.ts'
import { operationIn } from '../operation.ts'
import { list, named } from '../schemas.ts'

const operation = operationIn('Numbers')

const settings = {
  enabled: optional(z.boolean(), 'Whether groups can be created on it.'),
  joinApprovalMode: optional(JoinApprovalMode, 'Default of its groups.'),
}

const NumberView = named(
  'Number',
  'A number of an organization on one channel. Only WhatsApp numbers have settings.',
  z.object({ channel: Channel, number: z.string(), ...settings }),
)
type NumberView = z.infer<typeof NumberView>

const NewNumber = named(
  'NewNumberRequest',
  'A number to add. `enabled` and `joinApprovalMode` are settings of WhatsApp numbers.',
  z.strictObject({
    channel: Channel.check(z.describe('Network of the number.')),
    number: phoneNumber.check(z.describe('The number. Only its digits are compared.')),
    ...settings,
  }),
)

const NumberChange = named(
  'NumberChangeRequest',
  'The settings of a WhatsApp number to change. Omitted ones stay as they are.',
  z.strictObject(settings),
)

const listNumbers = ({ integrations, pstnNumbers }: OrganizationRecord): NumberView[] => [
  ...integrations.map(({ digits: _, ...integration }) => ({ channel: 'WHATSAPP' as const, ...integration })),
  ...pstnNumbers.map(({ number }) => ({ channel: 'PSTN' as const, number })),
]

type Which = { readonly channel: string; readonly number: string }

const isSame = (one: Which, other: Which): boolean =>
  one.channel === other.channel && toDigits(one.number) === toDigits(other.number)

const requireNumber = (numbers: readonly NumberView[], which: Which): NumberView =>
  requireFound(
    numbers.find((each) => isSame(each, which)),
    `${which.channel} number`,
    which.number,
  )

/**
 * Changes an organization's numbers, which are stored in its record. Tries again if the record changes
 * concurrently.
 */
const changeNumbers = async (
  { organizations }: ReferenceServer,
  organizationId: string,
  change: (numbers: NumberView[]) => NumberView[],
): Promise<NumberView[]> => {
  const changed = await organizations.update(organizationId, (organization) => {
    const numbers = change(listNumbers(organization))
    return {
      integrations: numbers.flatMap(({ channel, number: wabaNumber, ...rest }) =>
        channel === 'WHATSAPP' ? [{ wabaNumber, ...rest }] : [],
      ),
      pstnNumbers: numbers.flatMap(({ channel, number }) => (channel === 'PSTN' ? [number] : [])),
    }
  })
  return listNumbers(changed)
}

const checkSettings = ({ channel }: Pick<Which, 'channel'>, given: object): void => {
  if (channel === 'WHATSAPP' || Object.keys(given).length === 0) return
  throw new ControlError('invalid_input', 'Only WhatsApp numbers have settings; this is a PSTN number.')
}

const path = '/organizations/:organizationId/numbers'
const onePath = `${path}/:channel/:number` as const

export const numberOperations = [
  operation({
    id: 'listNumbers',
    route: `GET ${path}`,
    summary: 'List the numbers of an organization',
    result: list('Number', NumberView),
    run: async ({ params: { organizationId: id } }, { service }) => ({
      items: listNumbers(requireFound(await service.organizations.find(id), 'organization', id)),
    }),
  }),
  operation({
    id: 'getNumber',
    route: `GET ${onePath}`,
    summary: 'Get a number',
    result: NumberView,
    run: async ({ params: { organizationId: id, ...which } }, { service }) =>
      requireNumber(
        listNumbers(requireFound(await service.organizations.find(id), 'organization', id)),
        which,
      ),
  }),
  operation({
    id: 'createNumber',
    route: `POST ${path}`,
    summary: 'Add a number to an organization',
    body: NewNumber,
    result: NumberView,
    status: 201,
    run: async ({ params, body }, { service }) => {
      const { channel, number, ...given } = body
      checkSettings(body, given)
      const changed = await changeNumbers(service, params.organizationId, (numbers) => {
        if (!numbers.some((each) => isSame(each, body))) return [...numbers, body]
        throw new ControlError('exists', `The organization already has the ${channel} number ${number}.`)
      })
      return requireNumber(changed, body)
    },
  }),
  operation({
    id: 'updateNumber',
    route: `PATCH ${onePath}`,
    summary: 'Change the settings of a WhatsApp number',
    body: NumberChange,
    result: NumberView,
    run: async ({ params: { organizationId, ...which }, body }, { service }) => {
      const changed = await changeNumbers(service, organizationId, (numbers) => {
        checkSettings(requireNumber(numbers, which), body)
        return numbers.map((each) => (isSame(each, which) ? { ...each, ...body } : each))
      })
      return requireNumber(changed, which)
    },
  }),
  operation({
    id: 'removeNumber',
    route: `DELETE ${onePath}`,
    summary: 'Remove a number from an organization',
    run: async ({ params: { organizationId, ...which } }, { service }) => {
      await changeNumbers(service, organizationId, (numbers) => {
        const removed = requireNumber(numbers, which)
        return numbers.filter((each) => each !== removed)
      })
    },
  }),
]
