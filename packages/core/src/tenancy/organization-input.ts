import { type Issue, JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import type { IntegrationRecord, NumberRecord, OrganizationRecord } from '../records.ts'
import { identifier, optional, parseInput, phoneNumber } from '../values/input-schemas.ts'
import { toDigits } from '../values/phone-number.ts'
import { KnownApiKey } from './api-keys.ts'

/** Settings of a WhatsApp Business number. */
export const integrationSettings = {
  /**
   * Allows creating groups on this number.
   * @default true
   */
  enabled: z.optional(z.boolean()),
  /**
   * Default for groups whose request does not specify a mode.
   * @default 'auto_approve'
   */
  joinApprovalMode: z.optional(JoinApprovalMode),
}

/** A WhatsApp Business number of an organization. @inline */
const IntegrationInput = z.strictObject({
  /** The number, which is compared by its digits. */
  wabaNumber: phoneNumber,
  ...integrationSettings,
})
type IntegrationInput = z.infer<typeof IntegrationInput>

/** Settings of an organization. @inline */
export const OrganizationSettings = z.strictObject({
  /**
   * `automatic`: each call that can have a summary is expected to get one; until then, fetching it responds with
   * `summary_pending`. `manual`: only if a team member requests it.
   * @default 'automatic'
   */
  callSummaries: optional(z.enum(['automatic', 'manual']), 'When summaries are generated.'),
  /**
   * Its WhatsApp Business numbers.
   * @default []
   */
  integrations: z.optional(z.readonly(z.array(IntegrationInput))),
  /**
   * Its telephone numbers, which are compared by their digits.
   * @default []
   */
  pstnNumbers: optional(z.readonly(z.array(phoneNumber)), 'Telephone numbers of the organization.'),
})
export type OrganizationSettings = z.infer<typeof OrganizationSettings>

/** A new organization. */
export const OrganizationInput = z.strictObject({
  /** @default a generated `org_…` */
  id: optional(identifier, 'Id of the organization.'),
  ...OrganizationSettings.shape,
  /**
   * Its Public API keys. `apiKeys.create` adds more, including random ones.
   * @default []
   */
  apiKeys: z.optional(z.readonly(z.array(KnownApiKey))),
})
export type OrganizationInput = z.infer<typeof OrganizationInput>

/** An organization that is declared when the server is created. */
export const DeclaredOrganization = z.extend(OrganizationInput, { id: identifier })
export type DeclaredOrganization = z.infer<typeof DeclaredOrganization>

const toNumber = (number: string): NumberRecord => ({ number, digits: toDigits(number) ?? '' })

const findRepeated = (numbers: readonly string[], name: string): Issue[] => {
  const digits = numbers.map(toDigits)
  return digits.flatMap((each, index) =>
    digits.indexOf(each) < index
      ? [{ path: `${name}.${index}`, message: 'repeats a number of the organization' }]
      : [],
  )
}

/** Returns an issue for each number that its list contains twice. */
export const findRepeatedNumbers = ({
  integrations = [],
  pstnNumbers = [],
}: OrganizationSettings): Issue[] => [
  ...findRepeated(
    integrations.map(({ wabaNumber }) => wabaNumber),
    'integrations',
  ),
  ...findRepeated(pstnNumbers, 'pstnNumbers'),
]

const toIntegration = ({
  wabaNumber,
  enabled = true,
  joinApprovalMode = 'auto_approve',
}: IntegrationInput): IntegrationRecord => ({ ...toNumber(wabaNumber), enabled, joinApprovalMode })

/** Settings as they are stored. Omitted settings are absent. */
export type ParsedSettings = Partial<
  Pick<OrganizationRecord, 'integrations' | 'pstnNumbers' | 'callSummaries'>
>

/** @throws InputError if a number is invalid or repeated, or a value is not allowed. */
export const parseSettings = (input: OrganizationSettings): ParsedSettings => {
  const settings = parseInput(OrganizationSettings, input)
  const issues = findRepeatedNumbers(settings)
  if (issues.length > 0) throw new InputError(issues)
  const { callSummaries, integrations, pstnNumbers } = settings
  return {
    ...(callSummaries !== undefined && { callSummaries }),
    ...(integrations !== undefined && { integrations: integrations.map(toIntegration) }),
    ...(pstnNumbers !== undefined && { pstnNumbers: pstnNumbers.map(toNumber) }),
  }
}
