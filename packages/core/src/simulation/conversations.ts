import type { CallSummary } from '@wabakit/contract'

export const conversations: readonly [CallSummary, ...CallSummary[]] = [
  {
    recap:
      'The customer asked where order 1042 is. The parcel left the warehouse yesterday and arrives on Friday.',
    keyPoints: [
      'Order 1042 has not arrived yet',
      'It left the warehouse yesterday',
      'Delivery is planned for Friday',
    ],
    nextSteps: ['Send the tracking link on WhatsApp'],
  },
  {
    recap: 'The customer received a blue jacket in place of a green one and wants to exchange it.',
    keyPoints: ['Wrong color delivered: blue, not green', 'The green jacket is in stock in size M'],
    nextSteps: ['Email a return label', 'Reserve a green jacket in size M for seven days'],
  },
  {
    recap:
      'The customer was charged twice for the September invoice. A refund of $48.90 was promised within five days.',
    keyPoints: ['Two charges on 3 September', 'The second charge was a mistake', 'Refund of $48.90'],
    nextSteps: ['Refund the second charge', 'Confirm the refund by email'],
  },
  {
    recap: 'The customer moved a fitting from Tuesday morning to Thursday at 15:30.',
    keyPoints: ['Cannot come on Tuesday', 'Thursday at 15:30 is free'],
    nextSteps: ['Send a calendar invitation for Thursday at 15:30'],
  },
  {
    recap:
      'The customer could not sign in after changing phones. The new number was verified and access restored.',
    keyPoints: ['New phone number', 'Identity checked with the security question', 'Access works again'],
    nextSteps: [],
  },
  {
    recap: 'The customer asked for a quote for 30 seats. A discount applies from 25 seats on.',
    keyPoints: [
      '30 seats from 1 January',
      'Discount of 15 % from 25 seats on',
      'Decision expected next week',
    ],
    nextSteps: ['Send the quote today', 'Call back next Wednesday'],
  },
  {
    recap: 'The customer wants to cancel at the end of the month because the product is no longer needed.',
    keyPoints: ['Cancellation at the end of the month', 'No complaint about the service'],
    nextSteps: ['Confirm the cancellation in writing', 'Export the data before the account closes'],
  },
  {
    recap: 'The coffee machine leaks under the tank. It is under warranty and will be collected on Monday.',
    keyPoints: [
      'Leak under the water tank',
      'Bought eight months ago, under warranty',
      'Collection on Monday',
    ],
    nextSteps: ['Book the collection for Monday', 'Send a replacement machine'],
  },
  {
    recap:
      'The customer asked whether the café on Mill Street is open on public holidays: it is, from 10 to 16.',
    keyPoints: ['Open on public holidays', 'From 10:00 to 16:00'],
    nextSteps: [],
  },
  {
    recap: 'The customer changed the delivery address of order 2210 to the office, reception, second floor.',
    keyPoints: ['Order 2210', 'New address: the office, second floor', 'Leave it at the reception'],
    nextSteps: ['Inform the driver', 'Save the office as the default address'],
  },
]
