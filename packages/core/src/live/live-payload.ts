import { writeJson } from '@wabakit/wire'
import { createPersonName, nameCustomer } from '../simulation/call-data.ts'
import type { LiveSettings } from '../simulation/live-settings.ts'

type Fields = Readonly<Record<string, unknown>>

/** The fields of every call event of a live service, with the values that unset fields have. */
const unsetCallFields = {
  event: '',
  callId: '',
  chatMessageId: '',
  chatId: '',
  wabaNumber: '',
  customerNumber: '',
  customerName: '',
  customerId: '',
  callDirection: '',
  callStatus: '',
  failedReason: '',
  durationInSeconds: 0,
  callStartedAt: '',
  callEndedAt: '',
  pickedBy: '',
  rejectedBy: '',
  endedBy: '',
  recordingUrl: '',
  deviceId: '',
} as const

const withoutPlus = (number: unknown): string => String(number ?? '').replace(/^\+/, '')

/** Returns names for the fields that have values in the published samples. */
const nameParties = (event: Fields) => {
  const { event: name, callDirection, callId, customerNumber, channel } = event
  const customerName = String(event.customerName ?? nameCustomer(String(customerNumber)))
  const agent =
    channel === 'PSTN' ? String(event.agentNumber ?? '') : createPersonName('agent', String(callId))
  const isAnswered = name === 'CALL_ACCEPTED' || (name === 'CALL_ENDED' && Boolean(event.callStartedAt))
  const isPlaced = callDirection === 'OUTGOING'
  return {
    customerName,
    pickedBy: isAnswered || isPlaced ? agent : '',
    endedBy: name === 'CALL_ENDED' ? (isPlaced ? agent : customerName) : '',
    rejectedBy: name === 'CALL_REJECTED' ? (isPlaced ? customerName : agent) : '',
  }
}

/** Derives the identifiers that only a live service has from the identifiers of the call and the customer. */
const makeUpIds = ({ event, callId, customerNumber, channel }: Fields) => {
  const customer = withoutPlus(customerNumber)
  if (channel === 'PSTN') return { customerId: `customer_${customer}` }
  const rings = event === 'CALL_INCOMING_INITIATED' || event === 'CALL_NOT_PICKED'
  return {
    customerId: `customer_${customer}`,
    chatMessageId: `msg_${callId}`,
    chatId: rings ? '' : `chat_${customer}`,
    deviceId: 'device_1',
  }
}

const toLiveCall = (event: Fields): Fields => {
  const { channel, channelNumber, wabaNumber } = event
  const isPstn = channel === 'PSTN'
  const own = Object.fromEntries(
    Object.entries(event).filter(([field, value]) => field in unsetCallFields && value !== undefined),
  )
  const numbers = isPstn
    ? { wabaNumber: '', channel, channelNumber, from: channelNumber }
    : {
        wabaNumber: withoutPlus(wabaNumber ?? channelNumber),
        customerNumber: withoutPlus(event.customerNumber),
      }
  const isRecorded =
    event.event === 'CALL_ENDED' && Boolean(event.callStartedAt) && event.recordingUrl === undefined
  return {
    ...unsetCallFields,
    ...own,
    ...nameParties(event),
    ...makeUpIds(event),
    ...numbers,
    ...(isRecorded && { recordingUrl: `https://recordings.example.com/${event.callId}.mp3` }),
    ...(event.event === 'CALL_MISSED' && {
      isNewCaller: event.isNewCaller ?? false,
      isChatAssigned: event.isChatAssigned ?? false,
    }),
    // The published sample of this event has the fields of the specification.
    ...(event.event === 'CALL_AI_SUMMARY' && event),
  }
}

const toLiveGroup = (event: Fields, { groupEventNames = true, nullFields = [] }: LiveSettings): Fields => {
  const { event: name, customerPhone, ...fields } = event
  const nulls = Object.fromEntries(nullFields.filter((each) => each in fields).map((each) => [each, null]))
  const isJoin = customerPhone !== undefined
  if (groupEventNames) {
    const facts = { event: name, orgId: 'org_live', integrationId: 'int_live' }
    return { ...facts, ...fields, ...nulls, ...(isJoin && { customerPhone }) }
  }
  return { ...fields, ...nulls, ...(isJoin && { customerPhone: withoutPlus(customerPhone) }) }
}

/** Turns the payload of an event of the reference server into the form in which a live service sends it. */
export const toLivePayload = (payload: string, settings: LiveSettings): string => {
  const event: Fields = JSON.parse(payload)
  const name = String(event.event)
  if (name.startsWith('CALL_')) return writeJson(toLiveCall(event))
  return name.startsWith('GROUP_') ? writeJson(toLiveGroup(event, settings)) : payload
}
