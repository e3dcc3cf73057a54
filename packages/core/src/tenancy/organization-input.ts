import { type Issue, JoinApprovalMode } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import type { IntegrationRecord, NumberRecord, OrganizationRecord } from '../records.ts'
import { phoneNumberRule, toDigits } from '../values/phone-number.ts'

/** A WhatsApp Business number of an organization. @inline */
export type IntegrationInput = {
  /** The number, which is compared by its digits. */
  readonly wabaNumber: string
  /**
   * Allows creating groups on this number.
   * @default true
   */
  readonly enabled?: boolean | undefined
  /**
   * Default for groups whose request does not specify a mode.
   * @default 'auto_approve'
   */
  readonly joinApprovalMode?: JoinApprovalMode | undefined
}

/** Settings of an organization. @inline */
export type OrganizationSettings = {
  /**
   * Its WhatsApp Business numbers.
   * @default []
   */
  readonly integrations?: readonly IntegrationInput[] | undefined
  /**
   * Its telephone numbers, which are compared by their digits.
   * @default []
   */
  readonly pstnNumbers?: readonly string[] | undefined
  /**
   * `automatic`: every call that can have a summary gets one. `manual`: only if a team member requests it.
   * @default 'automatic'
   */
  readonly callSummaries?: OrganizationRecord['callSummaries'] | undefined
}

const parseNumber = (number: string, path: string, issues: Issue[]): NumberRecord => {
  const digits = toDigits(number)
  if (digits === undefined) issues.push({ path, message: phoneNumberRule })
  return { number, digits: digits ?? '' }
}

const reportRepeated = (numbers: readonly NumberRecord[], name: string, issues: Issue[]): void => {
  const seen = new Set<string>()
  for (const [index, { digits }] of numbers.entries()) {
    if (seen.has(digits))
      issues.push({ path: `${name}.${index}`, message: 'repeats a number of the organization' })
    seen.add(digits)
  }
}

const parseIntegrations = (inputs: readonly IntegrationInput[], issues: Issue[]): IntegrationRecord[] => {
  const integrations = inputs.map((input, index) => {
    const joinApprovalMode = input.joinApprovalMode ?? 'auto_approve'
    if (!JoinApprovalMode.safeParse(joinApprovalMode).success) {
      const path = `integrations.${index}.joinApprovalMode`
      issues.push({ path, message: 'must be auto_approve or approval_required' })
    }
    return {
      ...parseNumber(input.wabaNumber, `integrations.${index}.wabaNumber`, issues),
      enabled: input.enabled ?? true,
      joinApprovalMode,
    }
  })
  reportRepeated(integrations, 'integrations', issues)
  return integrations
}

/** Settings as they are stored. Omitted settings are absent. */
export type ParsedSettings = Partial<
  Pick<OrganizationRecord, 'integrations' | 'pstnNumbers' | 'callSummaries'>
>

/** @throws InputError if a number is invalid or repeated, or a value is not allowed. */
export const parseSettings = (input: OrganizationSettings): ParsedSettings => {
  const issues: Issue[] = []
  const { callSummaries, integrations, pstnNumbers } = input
  if (callSummaries !== undefined && callSummaries !== 'automatic' && callSummaries !== 'manual') {
    issues.push({ path: 'callSummaries', message: 'must be automatic or manual' })
  }
  const numbers = pstnNumbers?.map((number, index) => parseNumber(number, `pstnNumbers.${index}`, issues))
  reportRepeated(numbers ?? [], 'pstnNumbers', issues)
  const parsed: ParsedSettings = {
    ...(callSummaries !== undefined && { callSummaries }),
    ...(integrations !== undefined && { integrations: parseIntegrations(integrations, issues) }),
    ...(numbers !== undefined && { pstnNumbers: numbers }),
  }
  if (issues.length > 0) throw new InputError(issues)
  return parsed
}
