import { findNumber } from '@wabakit/wire'
import { InputError } from '../errors/operation-errors.ts'
import { toCallSubject } from '../events/event-log.ts'
import type { EventRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { ErasureRequest, EventQuery } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { parseDigits } from '../values/phone-number.ts'
import { checkIdentifiers } from '../values/storable-text.ts'

/** Selects what to erase: one call, or the data of one customer. */
export type ErasureSelection =
  | { readonly callId: string; readonly customerNumber?: undefined }
  | { readonly customerNumber: string; readonly callId?: undefined }

/** Options for erasing. */
export type ErasureOptions = {
  /** `nextCursor` of the previous part; omit it for the first part. */
  readonly cursor?: string | undefined
  /**
   * Counts the records without erasing them.
   * @default false
   */
  readonly dryRun?: boolean | undefined
}

/** One part of an erasure: the number of records of each kind that it erased, or would erase in a dry run. */
export type ErasedPart = {
  readonly calls: number
  readonly participants: number
  readonly events: number
  /** Cursor of the next part; absent after the last one. */
  readonly nextCursor?: string | undefined
}

/** Erases personal data on request. */
export type Erasures = {
  /**
   * Erases calls with their summaries, memberships in groups, and events with their deliveries and attempts. An event
   * belongs to a customer if it is about one of the customer's calls, or if its payload has the number as
   * `customerNumber` or `customerPhone`. Unfinished deliveries are no longer sent; an attempt in progress may still
   * arrive.
   *
   * Erases one part at a time. To erase all of a customer's data, repeat with `nextCursor` until there is none. You can
   * repeat an erasure from the start at any time.
   *
   * @throws InputError if an id, the number or the cursor is invalid.
   * @throws RecordNotFoundError if there is no such organization.
   * @example
   * const selection = { customerNumber: '+15550199001' }
   * let part = await server.erasures.erase('acme', selection)
   * while (part.nextCursor) part = await server.erasures.erase('acme', selection, { cursor: part.nextCursor })
   */
  erase(organizationId: string, selection: ErasureSelection, options?: ErasureOptions): Promise<ErasedPart>
}

const callsPerPart = 20
const eventsPerPart = 500

const isAbout = ({ payload }: EventRecord, isMentioned: (text: string) => boolean): boolean => {
  try {
    const { customerNumber, customerPhone } = JSON.parse(payload) ?? {}
    return [customerNumber, customerPhone].some((number) => isMentioned(`${number}`))
  } catch {
    return false
  }
}

/** Prefixes of cursors. A customer's calls come first, and then the events. */
const callsPrefix = 'calls:'
const eventsPrefix = 'events:'

export const createErasures = ({ store, clock }: ServerContext): Erasures => {
  type Context = { readonly organizationId: string; readonly dryRun: boolean }

  const remove = async (
    { organizationId, dryRun }: Context,
    records: Partial<Pick<ErasureRequest, 'callIds' | 'participants' | 'eventIds'>>,
  ): Promise<void> => {
    if (dryRun) return
    await store.erase({
      organizationId,
      now: clock.now(),
      callIds: [],
      participants: [],
      eventIds: [],
      ...records,
    })
  }

  /**
   * Erases the matching events of a page. Reads the newest events first, because reading the oldest first may have to
   * wait for events that are being written.
   */
  const eraseEvents = async (
    context: Context,
    query: Pick<EventQuery, 'subject' | 'cursor'>,
    matches: (event: EventRecord) => boolean = () => true,
  ) => {
    const { organizationId } = context
    const page = { ...query, organizationId, limit: eventsPerPart, order: 'newest_first' as const }
    const { items, nextCursor } = await store.listEvents(page)
    const eventIds = items.filter(matches).map(({ id }) => id)
    for (let at = 0; at < eventIds.length; at += 100) {
      await remove(context, { eventIds: eventIds.slice(at, at + 100) })
    }
    return { events: eventIds.length, nextCursor }
  }

  const eraseEventsAbout = async (context: Context, callId: string): Promise<number> => {
    let events = 0
    let cursor: string | undefined
    do {
      const erased = await eraseEvents(context, { subject: toCallSubject(callId), cursor })
      events += erased.events
      cursor = erased.nextCursor
    } while (cursor !== undefined)
    return events
  }

  /**
   * Erases the events of a call, and then the call: after an interruption, only the call leads from its customer to its
   * events. Returns the number of events.
   */
  const eraseCall = async (context: Context, callId: string): Promise<number> => {
    const events = await eraseEventsAbout(context, callId)
    if (context.dryRun) return events
    await remove(context, { callIds: [callId] })
    // The call may have published others until it was removed.
    return events + (await eraseEventsAbout(context, callId))
  }

  const eraseCalls = async (context: Context, digits: string, cursor?: string): Promise<ErasedPart> => {
    const { organizationId } = context
    const query = { organizationId, customerDigits: digits, limit: callsPerPart, cursor }
    const { items, nextCursor } = await store.listCalls(query)
    let events = 0
    // A dry run leaves the events of these calls in place, so those that have the customer's number are counted later,
    // with the customer's other events. Counting them here would count them twice.
    if (!context.dryRun) for (const { callId } of items) events += await eraseCall(context, callId)
    // Participants are erased with the last page of calls, because there are only a few.
    const participants = nextCursor === undefined ? await store.listParticipants(organizationId, digits) : []
    await remove(context, { participants })
    return {
      calls: items.length,
      participants: participants.length,
      events,
      nextCursor: nextCursor === undefined ? eventsPrefix : `${callsPrefix}${nextCursor}`,
    }
  }

  return {
    erase: async (organizationId, selection, { cursor, dryRun = false } = {}) => {
      await getOrganization(store, organizationId)
      const context = { organizationId, dryRun }
      if (selection.callId !== undefined) {
        const { callId } = selection
        checkIdentifiers({ callId })
        const isKnown = (await store.findCall(organizationId, callId)) !== undefined
        return { calls: Number(isKnown), participants: 0, events: await eraseCall(context, callId) }
      }
      const digits = parseDigits(selection.customerNumber, 'customerNumber')
      if (cursor === undefined || cursor.startsWith(callsPrefix)) {
        return eraseCalls(context, digits, cursor?.slice(callsPrefix.length))
      }
      if (!cursor.startsWith(eventsPrefix)) {
        throw new InputError([{ path: 'cursor', message: 'is not a cursor from an erasure' }])
      }
      const isMentioned = findNumber(digits)
      const { events, nextCursor } = await eraseEvents(
        context,
        { cursor: cursor.slice(eventsPrefix.length) || undefined },
        (event) => isAbout(event, isMentioned),
      )
      const next = nextCursor === undefined ? undefined : `${eventsPrefix}${nextCursor}`
      return { calls: 0, participants: 0, events, nextCursor: next }
    },
  }
}
