/** A socket that does what the test says. */
export class FakeSocket {
  static made = [];
  constructor(url) {
    this.url = url;
    this.readyState = 0;
    this.sent = [];
    FakeSocket.made.push(this);
  }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
  opens() { this.readyState = 1; this.onopen?.(); }
  hears(message) { this.onmessage?.({ data: JSON.stringify(message) }); }
  breaks(code = 1006) { this.readyState = 3; this.onclose?.({ code }); }
}
