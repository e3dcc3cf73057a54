/** A CALL_AI_SUMMARY of about 840 bytes, which is typical of a live service. */
export const callAiSummary = {
  event: 'CALL_AI_SUMMARY',
  channel: 'WHATSAPP',
  callId: 'wacid.HBgMOTE5ODc2NTQzMjEwFQIAERgSQjA2RkM5',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 184,
  callStartedAt: '2026-01-15T10:21:33.000Z',
  callEndedAt: '2026-01-15T10:24:37.000Z',
  from: '+14155550100',
  to: '+14155550123',
  channelNumber: '+14155550100',
  customerNumber: '+14155550123',
  agentNumber: '+14155550177',
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  summary: {
    recap:
      'The customer asked why order 4711 has not arrived. The agent found that the parcel is held at the depot and arranged a new delivery on Thursday.',
    keyPoints: [
      'Order 4711 is two days late because the address was incomplete',
      'The customer will be at home on Thursday before noon only',
    ],
    nextSteps: ['Confirm the new delivery date by message', 'Refund the express fee of the delayed order'],
  },
}

export const payload: string = JSON.stringify(callAiSummary)
