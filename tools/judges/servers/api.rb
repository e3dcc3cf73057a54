# A server on WEBrick that implements the interface. FLAW selects its mistake. Without FLAW, it is correct. With
# STYLE=talkative, it adds fields and headers. It implements the specification, not the decisions of this
# project, and has no control API but what the trial needs: POST /trial/<function> with JSON.
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'webrick'

FLAW, STYLE = ENV.values_at('FLAW', 'STYLE')
KEY, OTHER_KEY, NUMBER, DISABLED = ENV.fetch('API_KEY'), *ENV.values_at('OTHER_KEY', 'WABA_NUMBER', 'DISABLED_NUMBER')
SIGNING_KEY = ENV.fetch('SECRET').delete_prefix('whsec_').unpack1('m0')
PSTN = '+15550170004'
MAX_INVALID_KEYS = 100
LOCK = Monitor.new
GROUPS, CALLS, LANES = {}, {}, {}
COUNTS = Hash.new(0)
STATE = { webhook_url: nil }

class Refusal < StandardError
  attr_reader :status, :headers

  def initialize(status, message, headers = {})
    super(message)
    @status = status
    @headers = headers
  end
end

def now = Time.now.utc.strftime('%Y-%m-%dT%H:%M:%S.%LZ')

# Webhooks

def post(path, id, body)
  timestamp = Time.now.to_i.to_s
  signature = [OpenSSL::HMAC.digest('SHA256', SIGNING_KEY, "#{id}.#{timestamp}.#{body}")].pack('m0')
  headers = { 'webhook-id' => id, 'webhook-timestamp' => timestamp, 'webhook-signature' => "v1,#{signature}" }
  Net::HTTP.post(URI("#{STATE[:webhook_url]}#{path}"), body, 'content-type' => 'application/json', **headers).code.to_i
rescue SystemCallError, IOError
  0
end

def deliver(path, event)
  id, body = "msg_#{SecureRandom.hex}", event.to_json
  [1.1, 2, 4, 8].each do |pause|
    return if (200..299).cover?(post(path, id, body))

    sleep pause
    id = "msg_#{SecureRandom.hex}" if FLAW == 'new id for each attempt'
  end
end

# Delivers an event after the earlier ones of its call or group.
def publish(subject, path, event)
  return if STATE[:webhook_url].nil?

  event = event.merge('region' => 'eu') if STYLE == 'talkative'
  LOCK.synchronize do
    earlier = LANES[subject]
    LANES[subject] = Thread.new do
      earlier&.join
      deliver(path, event)
      deliver('/whatsapp', event) if FLAW == 'all subscriptions' && path == '/pstn'
    end
  end
end

# The public API

def check_key(request)
  key = request['authorization'].to_s
  return key if [KEY, OTHER_KEY].include?(key)

  invalid = LOCK.synchronize { COUNTS[:invalid_keys] += 1 }
  raise Refusal.new(401, 'The API key is missing or invalid.') if invalid <= MAX_INVALID_KEYS

  raise Refusal.new(429, 'Too many requests.', FLAW == 'no Retry-After' ? {} : { 'retry-after' => '30' })
end

def text?(value, lengths)
  length = FLAW == 'counts bytes' ? value.bytesize : value.length if value.is_a?(String)
  value.is_a?(String) && value.valid_encoding? && lengths.cover?(length)
end

def read_group(request)
  body = JSON.parse(request.body.to_s)
  raise Refusal.new(400, 'The body is not an object.') unless body.is_a?(Hash)

  fields = body.values_at('wabaNumber', 'subject', 'description', 'joinApprovalMode')
  valid = fields[0].is_a?(String) && text?(fields[1], 1..128) && text?(body.fetch('description', ''), 0..2048) &&
          [nil, 'auto_approve', 'approval_required'].include?(fields[3]) && text?(body.fetch('groupId', 'x'), 1..50)
  raise Refusal.new(400, 'A field is missing or invalid.') unless valid

  [body['groupId'], fields]
rescue JSON::ParserError
  raise Refusal.new(400, 'The body is not JSON.')
end

def find_number(text)
  digits = text.gsub(/[\s().+-]/, '')
  [NUMBER, DISABLED].find { |number| number == "+#{digits}" } or raise Refusal.new(400, 'wabaNumber has no integration.')
end

def generate_id
  FLAW == 'seconds as ids' ? "grp-#{Time.now.to_i}" : "grp-#{SecureRandom.hex}"
end

def create_group(request)
  key = check_key(request)
  group_id, fields = read_group(request)
  number = find_number(fields[0])
  raise Refusal.new(403, 'The key may not use this number.') if key == OTHER_KEY
  raise Refusal.new(422, 'The integration is disabled.') if number == DISABLED
  raise Refusal.new(500, 'The database failed.') if FLAW == 'NUL' && fields.any? { |field| field&.include?("\0") }

  group_id ||= generate_id
  group = [number, *fields.drop(1)]
  existing = LOCK.synchronize { GROUPS.fetch(group_id) { GROUPS[group_id] = group and nil } }
  raise Refusal.new(422, 'The group id is in use.') unless [nil, group].include?(existing)

  tell_group('GROUP_CREATED', group_id, 'groupCreatedAt' => now) if existing.nil?
  [FLAW == '201' ? 201 : 200, { 'success' => true, 'groupId' => group_id }, {}]
end

def fetch_summary(request)
  key = check_key(request) unless FLAW == 'no key to fetch'
  call = CALLS[request.query['callId'].to_s]
  raise Refusal.new(400, 'callId is missing.') if request.query['callId'].to_s.empty?
  raise Refusal.new(404, 'There is no such call.') if call.nil? || (key == OTHER_KEY && call[:channel] == 'WHATSAPP')
  raise Refusal.new(422, 'This call can have no summary.') if call[:state] == :unavailable
  return [200, call[:summary], {}] if call[:state] == :summarized

  [202, { 'status' => 'PENDING' }, { 'retry-after' => FLAW == 'at once' ? '0' : '1' }]
end

# Calls and groups

def tell_group(event, group_id, fields)
  common = { 'event' => event, 'groupId' => group_id, 'groupName' => GROUPS[group_id][1] }
  publish(group_id, '/whatsapp', common.merge(fields))
end

def start_call(channel)
  LOCK.synchronize do
    incoming = CALLS.size.even?
    number, customer = channel == 'WHATSAPP' ? NUMBER : PSTN, format('+1555018%04d', CALLS.size)
    call_id = "call-#{SecureRandom.hex}"
    CALLS[call_id] = { channel:, state: :pending }
    common = { 'callId' => call_id, 'channel' => channel, 'callDirection' => incoming ? 'INCOMING' : 'OUTGOING',
               'from' => number, 'to' => customer, 'channelNumber' => number, 'customerNumber' => customer,
               'callType' => incoming ? 'AGENT' : 'AI_BOT', 'triggeredVia' => incoming ? 'INBOUND' : 'API' }
    agent = incoming ? '+15550170009' : ('' if FLAW == 'empty agent')
    [call_id, agent ? common.merge('agentNumber' => agent) : common]
  end
end

# Makes a call and returns its id when the call is over.
def play(outcome:, channel:)
  call_id, common = start_call(channel)
  tell = ->(event, fields) { publish(call_id, "/#{channel.downcase}", { 'event' => event, **common, **fields }) }
  tell.("CALL_#{common['callDirection']}_INITIATED", { 'callStatus' => 'INITIATED' })
  sleep 0.2
  CALLS[call_id][:state] = :unavailable unless outcome == 'answered'
  return { callId: call_id } if %w[missed rejected].include?(outcome)

  started = now
  tell.('CALL_ACCEPTED', { 'callStatus' => 'IN_PROGRESS', 'callStartedAt' => started })
  sleep 0.2
  ending = { 'callStatus' => 'END', 'durationInSeconds' => 0.2, 'callStartedAt' => started, 'callEndedAt' => now }
  tell.('CALL_ENDED', ending)
  return { callId: call_id } unless outcome == 'answered'

  summary = { **common, **ending, 'summary' => { 'recap' => 'Größe 東京', 'keyPoints' => ['late'], 'nextSteps' => [] } }
  CALLS[call_id].merge!(state: :summarized, summary:)
  tell.('CALL_AI_SUMMARY', summary)
  tell.('CALL_AI_SUMMARY', summary) if FLAW == 'two publishers' # when it is saved, and when the job is done
  { callId: call_id }
end

def move(groupId:, phone:, step:)
  fields = { 'customerPhone' => phone, "participant#{step.capitalize}At" => now }
  tell_group("GROUP_PARTICIPANT_#{step.upcase}", groupId, fields)
  {}
end

def subscribe(url:)
  STATE[:webhook_url] = url
  {}
end

def respond(request, response)
  status, body, headers = yield
rescue Refusal => e
  status, headers = e.status, e.headers
  body = { 'statusCode' => status, 'error' => WEBrick::HTTPStatus.reason_phrase(status), 'message' => e.message }
ensure
  response.status = status
  response.body = body.to_json
  response['content-type'] = 'application/json; charset=utf-8'
  response['server'] = 'api' if STYLE == 'talkative'
  headers.each { |name, value| response[name] = value }
end

options = { BindAddress: '127.0.0.1', Port: ENV.fetch('PORT').to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL) }
server = WEBrick::HTTPServer.new(options)
route = lambda do |method, path, &handler|
  server.mount_proc(path) do |request, response|
    respond(request, response) do
      raise Refusal.new(404, 'There is nothing here.') unless request.path == path
      raise Refusal.new(405, "Use #{method}.", { 'allow' => method }) unless request.request_method == method

      handler.(request)
    end
  end
end
route.('POST', '/whatsapp/wa-group/create') { |request| create_group(request) }
route.('GET', '/v1/call/ai-summary') { |request| fetch_summary(request) }
# Without this route, WEBrick responds with a page of HTML.
route.('GET', '/') { nil } unless FLAW == 'page of the framework'
%i[play move subscribe].each do |name|
  route.('POST', "/trial/#{name}") do |request|
    [200, method(name).(**JSON.parse(request.body, symbolize_names: true)), {}]
  end
end
server.start
