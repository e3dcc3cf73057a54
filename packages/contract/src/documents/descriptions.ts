// Generated from doc comments by doc-comments.test.ts. Update with "npx vitest run packages/contract -u".
// biome-ignore-all format: generated

/** Descriptions of the schemas, of their fields unless they are in {@link commonFields}, and of the error codes. */
export const descriptions: {
  readonly [name: string]: { readonly description: string; readonly fields: { readonly [field: string]: string } }
} = {
  "CallAcceptedEvent": {
    "description": "The call was answered.",
    "fields": {}
  },
  "CallAiSummaryEvent": {
    "description": "The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.\n\nThe reference server always sends `from` equal to `channelNumber` and `to` equal to `customerNumber`. Parsing does not require this.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. Absent, never empty, if no team member did. It may change: use it for display and audit, not for matching.",
      "callStatus": "The call's status: normally `END`, never `ENDED`."
    }
  },
  "CallEndedEvent": {
    "description": "The call ended. If it was not answered, `callStartedAt` may be an empty string.",
    "fields": {}
  },
  "CallIncomingInitiatedEvent": {
    "description": "A customer is calling the business. This is the first event of an incoming call.",
    "fields": {}
  },
  "CallMissedEvent": {
    "description": "The call was missed. A live service sends this event; the reference server does not.",
    "fields": {
      "isChatAssigned": "True if a team member is assigned to the chat.",
      "isNewCaller": "True if this is the customer's first call."
    }
  },
  "CallNotPickedEvent": {
    "description": "A WhatsApp call rang out. May be sent more than once per call. A live service sends this event; the reference server does not.",
    "fields": {}
  },
  "CallOutgoingInitiatedEvent": {
    "description": "The business is calling a customer. This is the first event of an outgoing call.",
    "fields": {}
  },
  "CallRejectedEvent": {
    "description": "The call was rejected. A live service sends this event; the reference server does not.",
    "fields": {}
  },
  "CallSummary": {
    "description": "The AI summary of a call.",
    "fields": {
      "keyPoints": "Key points of the conversation.",
      "nextSteps": "Follow-ups mentioned in the conversation.",
      "recap": "Short summary of the call."
    }
  },
  "CreateGroupRequest": {
    "description": "Body of `POST /whatsapp/wa-group/create`. Strings must be well-formed Unicode without NUL, and their lengths are counted in code points. Unknown fields are ignored.",
    "fields": {
      "description": "The group's description, at most 2048 characters.",
      "groupId": "Your id for the group, 1 to 50 characters. The service generates one if you omit it. Webhooks include it.",
      "joinApprovalMode": "People who may join: anyone with the link, or only those an admin approves. Defaults to the integration's setting.",
      "subject": "The group's name, 1 to 128 characters.",
      "wabaNumber": "WABA number that owns the group. Must not be empty. Numbers are compared by their digits."
    }
  },
  "CreateGroupResponse": {
    "description": "Response body of `POST /whatsapp/wa-group/create`.",
    "fields": {
      "groupId": "The group's id: yours, or the generated one. All webhooks about the group carry it.",
      "success": "Always `true`."
    }
  },
  "ErrorBody": {
    "description": "Body of every error response of the reference server, and of 202 (`summary_pending`).",
    "fields": {
      "code": "A machine-readable code from the closed list.",
      "error": "The status's reason phrase, such as `Bad Request`.",
      "issues": "The invalid fields, if any.",
      "message": "A human-readable explanation."
    }
  },
  "GroupCreatedEvent": {
    "description": "A group was created through the create endpoint.",
    "fields": {
      "groupCreatedAt": "When the group was created, in ISO 8601.",
      "inviteLink": "Link that lets anyone join the group: treat it as a credential."
    }
  },
  "GroupParticipantJoinedEvent": {
    "description": "A participant joined the group.",
    "fields": {
      "participantJoinedAt": "When the participant joined, in ISO 8601."
    }
  },
  "GroupParticipantLeftEvent": {
    "description": "A participant left the group.",
    "fields": {
      "participantLeftAt": "When the participant left, in ISO 8601."
    }
  },
  "GroupParticipantRemovedEvent": {
    "description": "A participant was removed from the group.",
    "fields": {
      "participantRemovedAt": "When the participant was removed, in ISO 8601."
    }
  },
  "HealthEvent": {
    "description": "Schema of the webhooks for operational subscriptions. `delivery.exhausted`: the last attempt of a delivery failed. `subscription.failing`: a first delivery was exhausted, or all attempts have failed for ten minutes. `subscription.disabled`: the endpoint responded 410, or failed for 5 days. `subscription.recovered`: the first success after `failing` or `disabled`.",
    "fields": {
      "data": "The subscription, and the attempt that caused the event.",
      "timestamp": "When the outcome that caused the event was recorded.",
      "type": "The kind of event."
    }
  },
  "HealthEventData": {
    "description": "The subscription that a health event is about, and the attempt that caused it.",
    "fields": {
      "attempts": "Number of delivery attempts so far.",
      "disabledReason": "Why the subscription was disabled: a 410 response (`gone`), or 5 days of failed attempts (`failing`).",
      "eventId": "The event whose delivery to the subscription caused this one.",
      "eventName": "The name of the event with this `eventId`.",
      "failingSince": "Start of the first failed attempt since the last success before this event; null if no attempt had failed.",
      "lastResponse": "The endpoint's last response: its `status`; or, if there was no response, null and an `error`.",
      "organizationId": "The subscription's organization.",
      "subscriptionId": "The subscription that failed, was disabled or recovered, or whose delivery was exhausted.",
      "url": "The URL of the attempt."
    }
  },
  "Issue": {
    "description": "One problem with an invalid input.",
    "fields": {
      "message": "A description of the problem, such as `subject must not be empty`.",
      "path": "Path of the field, with dots: `summary.keyPoints.0`. Empty for the whole input."
    }
  },
  "ReceivedErrorBody": {
    "description": "Error body from any server with this API. Every field may be missing, `message` may be an array, and `code` may be unknown. Fields of other types are dropped, so parsing fails only if the body is not an object.",
    "fields": {
      "code": "A machine-readable error code. The reference server sends codes from a closed list.",
      "error": "The status's reason phrase.",
      "issues": "The invalid fields.",
      "message": "A human-readable explanation: one sentence or several."
    }
  },
  "SummaryRecord": {
    "description": "Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Parsers require only `callId` and `summary`, because the specification does not define this body, and other services may omit the rest.",
    "fields": {}
  },
  "errorCodes": {
    "description": "All error codes of the reference server, with their HTTP statuses. Codes are never renamed, and each has one status. A code that is not in this list comes from another server.",
    "fields": {
      "body_too_large": "The request body is larger than 64 KiB.\n\nSend a smaller body. A valid request never reaches this limit.",
      "group_id_conflict": "A different request has already created a group with this `groupId`.\n\nUse another `groupId`. To retry a request safely, send it unchanged.",
      "headers_too_large": "The request line and the headers exceed the size that the server accepts.\n\nSend fewer or shorter headers, and a shorter URL.",
      "integration_disabled": "The integration of this number is disabled.\n\nEnable the integration, then retry.",
      "integration_not_found": "The organization has no integration with this `wabaNumber`.\n\nCheck the number, and check that the API key belongs to the organization that owns it.",
      "internal_error": "An unexpected error occurred in the server.\n\nReport it to the operator, with the `x-request-id` of the response.",
      "invalid_api_key": "The Public API key is not valid.\n\nCheck the key for typos, and check that it has not been revoked.",
      "invalid_body": "The request body is JSON, but not an object.\n\nSend a JSON object.",
      "invalid_call_id": "`callId` is missing or empty, has more than 255 characters, or contains control characters.\n\nSend the query parameter `callId` with the value from the call's webhooks.",
      "invalid_description": "`description` is longer than 2048 characters, or not a valid string.\n\nShorten it to at most 2048 characters (Unicode code points), or omit it.",
      "invalid_group_id": "`groupId` is empty, longer than 50 characters, or not a valid string.\n\nSend 1 to 50 characters (Unicode code points), or omit it to have one generated.",
      "invalid_join_approval_mode": "`joinApprovalMode` is neither `auto_approve` nor `approval_required`.\n\nSend one of these values, or omit the field to use the default of the number's integration.",
      "invalid_subject": "`subject` is missing, empty, longer than 128 characters, or not a valid string.\n\nSend a name of 1 to 128 characters (Unicode code points).",
      "invalid_waba_number": "`wabaNumber` is missing, empty, or not a valid string.\n\nSend the WABA number that should own the group.",
      "malformed_json": "The request body is not JSON.\n\nSend valid JSON in UTF-8.",
      "malformed_request": "The request is not valid HTTP, or its target is not a path of this server.\n\nCheck the base URL, and the code that writes the request line and the headers.",
      "method_not_allowed": "The endpoint does not support this method.\n\nUse the method in the `Allow` header.",
      "missing_api_key": "The request has no Public API key.\n\nSend the key in the header that the server expects, by default `Authorization`.",
      "outcome_unknown": "The server lost its database while it was committing the change. The change may or may not have been made.\n\nCheck before you retry: if the group was created, GROUP_CREATED with the `groupId` of the request follows.",
      "rate_limited": "The organization, the key or the IP address has sent too many requests.\n\nRetry after the number of seconds in `Retry-After`.",
      "request_timeout": "The server did not receive the complete request in time.\n\nSend the whole request without pausing.",
      "route_not_found": "The path does not exist.\n\nCheck the base URL. The path of the endpoint is appended to it.",
      "storage_unavailable": "The database is not available. Nothing was changed.\n\nRetry after the number of seconds in `Retry-After`.",
      "summary_not_found": "The organization has no call with this id, the key has no permission for the call's number, or the call has no summary and summaries are not generated automatically.\n\nCheck the `callId` and the key. If team members generate summaries by hand, wait for CALL_AI_SUMMARY.",
      "summary_pending": "The call is in progress, or its summary is being generated.\n\nRetry after the number of seconds in `Retry-After`, or wait for CALL_AI_SUMMARY.",
      "summary_unavailable": "The call will never have a summary: it was not answered, it was not recorded, or nothing was said.\n\nDo not retry.",
      "unsupported_media_type": "The request body is not `application/json`, or its charset is not UTF-8.\n\nSend `Content-Type: application/json`.",
      "waba_number_not_permitted": "The Public API key has no permission for this WABA number.\n\nUse a key that may use this number, or grant this key the permission."
    }
  }
}

/** Descriptions of fields that several schemas share. */
export const commonFields: { readonly [field: string]: string } = {
  "agentNumber": "Phone number of the team member who handled or started the call. Absent, never empty or null, if no team member did. It may change: use it for display only.",
  "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
  "callEndedAt": "When the call ended, in ISO 8601.",
  "callId": "The call's identifier, the same in every event of the call.",
  "callStartedAt": "When the conversation started, in ISO 8601.",
  "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`. A live service also sends `REJECT`, `MISSED` and `FAILED`.",
  "callType": "Party that handled the call: `AI_BOT`, or `AGENT` for a team member.",
  "channel": "The network of the call: `PSTN` (telephone) or `WHATSAPP`.",
  "channelNumber": "Same as `from`.",
  "chatId": "The service's id for the chat.",
  "chatMessageId": "The service's id for the message that represents the call in the chat.",
  "customerId": "The service's id for the customer.",
  "customerName": "The customer's name.",
  "customerNumber": "Same as `to`.",
  "customerPhone": "The participant's phone number.",
  "deviceId": "The device that answered the call.",
  "durationInSeconds": "Duration of the call in seconds.",
  "endedBy": "Party that ended the call.",
  "event": "The event's name.",
  "failedReason": "Why the call failed.",
  "from": "The organization's number, for calls in either direction.",
  "groupId": "The group's id, as in the response to the create request.",
  "groupName": "The group's name.",
  "integrationId": "The service's id for the integration.",
  "orgId": "The service's id for the organization.",
  "pickedBy": "Party that answered the call.",
  "recordingUrl": "URL of the recording.",
  "rejectedBy": "Party that rejected the call.",
  "statusCode": "The HTTP status.",
  "summary": "The AI summary.",
  "to": "The customer's phone number, for calls in either direction.",
  "triggeredVia": "Trigger of the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
  "wabaNumber": "The organization's WhatsApp Business number, for WhatsApp calls."
}
