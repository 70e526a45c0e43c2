# ruff: noqa: E501
"""Neighbouring definitions, written for this: each file's definitions in order, with the concern that each serves.

Two neighbours of one file are "the same concern" if a reader of one would want the other in the same breath: variants,
overloads, mirrored operations over the same data, accessors of one thing. They are not if they only share a class.
FILES is a list of (language, [(concern, code), ...]); `pairs()` gives (language, code, code, same concern or not).
"""

from __future__ import annotations

from collections.abc import Iterator

_PYTHON_VALUES = [
    ('area', 'def area_of_circle(radius):\n    return math.pi * radius ** 2'),
    ('area', 'def area_of_square(side):\n    return side ** 2'),
    ('area', 'def area_of_triangle(base, height):\n    return base * height / 2'),
    ('print', 'def print_report(shapes, stream):\n    for shape in shapes:\n        stream.write(f"{shape.name}\\n")'),
    ('parse', 'def parse_shape(text):\n    kind, _, size = text.partition(" ")\n    return KINDS[kind](float(size))'),
    ('parse', 'def parse_shapes(text):\n    return [parse_shape(line) for line in text.splitlines() if line]'),
    ('cache', 'def clear_cache():\n    _CACHE.clear()\n    _HITS[0] = 0'),
]
_PYTHON_CONFIG = [
    ('get', 'def get_int(self, key, default=0):\n    return int(self.values.get(key, default))'),
    ('get', 'def get_float(self, key, default=0.0):\n    return float(self.values.get(key, default))'),
    ('get', 'def get_bool(self, key, default=False):\n    return self.values.get(key, default) in TRUE'),
    ('save', 'def save(self, file):\n    with open(file, "w") as out:\n        json.dump(self.values, out, indent=2)'),
    (
        'watch',
        'def watch(self, callback):\n    thread = Thread(target=self._poll, args=(callback,), daemon=True)\n'
        '    thread.start()',
    ),
    ('hash', 'def __hash__(self):\n    return hash(tuple(sorted(self.values.items())))'),
]
_PYTHON_QUEUE = [
    ('push', 'def push(self, job):\n    with self.lock:\n        heapq.heappush(self.heap, (job.due, job))'),
    (
        'push',
        'def push_many(self, jobs):\n    with self.lock:\n        for job in jobs:\n'
        '            heapq.heappush(self.heap, (job.due, job))',
    ),
    ('retry', 'def retry_delay(attempt):\n    return min(60, 2 ** attempt) * random.uniform(0.5, 1)'),
    ('log', 'def log_failure(self, job, error):\n    self.logger.warning("job %s failed: %s", job.id, error)'),
    ('log', 'def log_success(self, job, seconds):\n    self.logger.info("job %s done in %.1f s", job.id, seconds)'),
    ('stop', 'def stop(self):\n    self.running = False\n    for worker in self.workers:\n        worker.join()'),
]
_PYTHON_VIEWS = [
    (
        'user',
        'def create_user(request):\n    form = UserForm(request.POST)\n    if form.is_valid():\n        form.save()\n'
        '    return redirect("users")',
    ),
    (
        'user',
        'def update_user(request, pk):\n    form = UserForm(request.POST, instance=get_user(pk))\n'
        '    if form.is_valid():\n        form.save()\n    return redirect("users")',
    ),
    (
        'health',
        'def health(request):\n    with connection.cursor() as cursor:\n        cursor.execute("SELECT 1")\n'
        '    return JsonResponse({"ok": True})',
    ),
    (
        'export',
        'def export_csv(request):\n    writer = csv.writer(response)\n    for row in rows():\n        writer.writerow(row)\n'
        '    return response',
    ),
    ('export', 'def export_json(request):\n    return JsonResponse({"rows": [list(row) for row in rows()]})'),
    (
        'search',
        'def search(request):\n    term = request.GET.get("q", "")\n    return render(request, "search.html", '
        '{"hits": index.query(term)})',
    ),
]
_PYTHON_TESTS = [
    ('date', 'def test_parse_date_iso():\n    assert parse_date("2024-01-02") == date(2024, 1, 2)'),
    ('date', 'def test_parse_date_slashes():\n    assert parse_date("02/01/2024") == date(2024, 1, 2)'),
    (
        'date',
        'def test_parse_date_rejects_words():\n    with pytest.raises(ValueError):\n        parse_date("tomorrow")',
    ),
    (
        'mail',
        'def test_mail_is_sent_once(mailbox):\n    notify(user, "hello")\n    notify(user, "hello")\n'
        '    assert len(mailbox) == 1',
    ),
    ('price', 'def test_price_includes_tax():\n    assert price(100, tax=0.2) == 120'),
    ('price', 'def test_price_without_tax():\n    assert price(100, tax=0) == 100'),
]
_PYTHON_TREE = [
    ('visit', 'def visit_add(self, node):\n    return self.visit(node.left) + self.visit(node.right)'),
    ('visit', 'def visit_sub(self, node):\n    return self.visit(node.left) - self.visit(node.right)'),
    ('visit', 'def visit_mul(self, node):\n    return self.visit(node.left) * self.visit(node.right)'),
    (
        'call',
        'def visit_call(self, node):\n    function = self.functions[node.name]\n'
        '    return function(*[self.visit(arg) for arg in node.args])',
    ),
    ('scope', 'def push_scope(self):\n    self.scopes.append({})'),
    ('scope', 'def pop_scope(self):\n    self.scopes.pop()'),
    ('error', 'def fail(self, node, message):\n    raise EvalError(f"{node.line}: {message}")'),
]
_JS_EVENTS = [
    ('on', 'on(name, handler) {\n  (this.handlers[name] ||= []).push(handler);\n  return this;\n}'),
    (
        'on',
        'once(name, handler) {\n  const wrapped = (...args) => { this.off(name, wrapped); handler(...args); };\n'
        '  return this.on(name, wrapped);\n}',
    ),
    ('emit', 'emit(name, ...args) {\n  for (const handler of this.handlers[name] || []) handler(...args);\n}'),
    ('json', 'toJSON() {\n  return { id: this.id, created: this.created.toISOString() };\n}'),
    (
        'resize',
        'resize(width, height) {\n  this.canvas.width = width;\n  this.canvas.height = height;\n  this.draw();\n}',
    ),
    (
        'draw',
        'draw() {\n  const ctx = this.canvas.getContext("2d");\n  ctx.clearRect(0, 0, this.canvas.width, '
        'this.canvas.height);\n}',
    ),
]
_JS_STRING = [
    ('case', 'function camelCase(text) {\n  return text.replace(/[-_](.)/g, (_, c) => c.toUpperCase());\n}'),
    ('case', 'function snakeCase(text) {\n  return text.replace(/([A-Z])/g, (_, c) => "_" + c.toLowerCase());\n}'),
    ('case', 'function kebabCase(text) {\n  return text.replace(/([A-Z])/g, (_, c) => "-" + c.toLowerCase());\n}'),
    ('pad', 'function padLeft(text, size) {\n  while (text.length < size) text = " " + text;\n  return text;\n}'),
    ('pad', 'function padRight(text, size) {\n  while (text.length < size) text += " ";\n  return text;\n}'),
    ('escape', 'function escapeHtml(text) {\n  return text.replace(/[&<>"]/g, (c) => ENTITIES[c]);\n}'),
    (
        'debounce',
        'function debounce(fn, wait) {\n  let timer;\n  return (...a) => { clearTimeout(timer); '
        'timer = setTimeout(() => fn(...a), wait); };\n}',
    ),
]
_JS_STORE = [
    (
        'fetch',
        'async function fetchUsers() {\n  const response = await fetch("/api/users");\n  return response.json();\n}',
    ),
    (
        'fetch',
        'async function fetchOrders() {\n  const response = await fetch("/api/orders");\n  return response.json();\n}',
    ),
    (
        'fetch',
        'async function fetchInvoices() {\n  const response = await fetch("/api/invoices");\n'
        '  return response.json();\n}',
    ),
    (
        'reduce',
        'function reducer(state, action) {\n  switch (action.type) {\n    case "add": return [...state, action.item];\n'
        '    default: return state;\n  }\n}',
    ),
    ('money', 'function formatMoney(cents) {\n  return (cents / 100).toFixed(2) + " EUR";\n}'),
    ('theme', 'function toggleTheme() {\n  document.body.classList.toggle("dark");\n}'),
]
_TS_REPO = [
    (
        'find',
        'async findById(id: string): Promise<User | null> {\n  return this.db.users.findOne({ where: { id } });\n}',
    ),
    (
        'find',
        'async findByEmail(email: string): Promise<User | null> {\n  return this.db.users.findOne({ where: { email } });\n}',
    ),
    (
        'remove',
        'async remove(user: User): Promise<void> {\n  await this.audit.log("removed", user.id);\n'
        '  await this.db.users.delete(user);\n}',
    ),
    (
        'password',
        'private hashPassword(plain: string): string {\n  const salt = randomBytes(16);\n'
        '  return scryptSync(plain, salt, 64).toString("hex");\n}',
    ),
    (
        'password',
        'private checkPassword(plain: string, hash: string): boolean {\n  return timingSafeEqual(this.derive(plain), '
        'Buffer.from(hash, "hex"));\n}',
    ),
    (
        'page',
        'paginate<T>(items: T[], page: number, size = 20): T[] {\n  return items.slice(page * size, (page + 1) * size);\n}',
    ),
]
_TS_GUARD = [
    ('is', 'export function isString(value: unknown): value is string {\n  return typeof value === "string";\n}'),
    ('is', 'export function isNumber(value: unknown): value is number {\n  return typeof value === "number";\n}'),
    ('is', 'export function isBoolean(value: unknown): value is boolean {\n  return typeof value === "boolean";\n}'),
    (
        'merge',
        'export function deepMerge(a: any, b: any): any {\n  for (const key of Object.keys(b)) a[key] = '
        'isObject(b[key]) ? deepMerge(a[key] ?? {}, b[key]) : b[key];\n  return a;\n}',
    ),
    ('sleep', 'export const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));'),
    (
        'uuid',
        'export function uuid(): string {\n  return [...getRandomValues(new Uint8Array(16))].map(hex).join("");\n}',
    ),
]
_GO_STORE = [
    (
        'get',
        'func (s *Store) GetString(key string) (string, error) {\n\tv, ok := s.data[key]\n\tif !ok {\n'
        '\t\treturn "", ErrMissing\n\t}\n\treturn v, nil\n}',
    ),
    (
        'get',
        'func (s *Store) GetInt(key string) (int, error) {\n\tv, ok := s.data[key]\n\tif !ok {\n\t\treturn 0, ErrMissing\n'
        '\t}\n\treturn strconv.Atoi(v)\n}',
    ),
    ('close', 'func (s *Store) Close() error {\n\ts.once.Do(func() { close(s.done) })\n\treturn s.file.Close()\n}'),
    (
        'compact',
        'func (s *Store) compact() {\n\tfor _, segment := range s.segments {\n\t\tif segment.dead > segment.live {\n'
        '\t\t\ts.rewrite(segment)\n\t\t}\n\t}\n}',
    ),
    ('stat', 'func (s *Store) Stats() Stats {\n\ts.mu.RLock()\n\tdefer s.mu.RUnlock()\n\treturn s.stats\n}'),
]
_GO_HTTP = [
    (
        'handle',
        'func handleGet(w http.ResponseWriter, r *http.Request) {\n\titem := find(r.URL.Query().Get("id"))\n'
        '\tjson.NewEncoder(w).Encode(item)\n}',
    ),
    ('handle', 'func handleList(w http.ResponseWriter, r *http.Request) {\n\tjson.NewEncoder(w).Encode(all())\n}'),
    (
        'auth',
        'func requireToken(next http.Handler) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, '
        'r *http.Request) {\n\t\tif r.Header.Get("Authorization") != token {\n\t\t\thttp.Error(w, "no", 401)\n'
        '\t\t\treturn\n\t\t}\n\t\tnext.ServeHTTP(w, r)\n\t})\n}',
    ),
    ('sort', 'type byAge []Person\n\nfunc (a byAge) Len() int { return len(a) }'),
    ('sort', 'func (a byAge) Swap(i, j int) { a[i], a[j] = a[j], a[i] }'),
    ('sort', 'func (a byAge) Less(i, j int) bool { return a[i].Age < a[j].Age }'),
    ('main', 'func main() {\n\tflag.Parse()\n\tlog.Fatal(http.ListenAndServe(*addr, routes()))\n}'),
]
_RUST_MATH = [
    ('op', 'fn add(self, other: Vec2) -> Vec2 {\n    Vec2 { x: self.x + other.x, y: self.y + other.y }\n}'),
    ('op', 'fn sub(self, other: Vec2) -> Vec2 {\n    Vec2 { x: self.x - other.x, y: self.y - other.y }\n}'),
    ('len', 'pub fn length(&self) -> f64 {\n    (self.x * self.x + self.y * self.y).sqrt()\n}'),
    ('fmt', 'fn fmt(&self, f: &mut Formatter<\'_>) -> fmt::Result {\n    write!(f, "<{}, {}>", self.x, self.y)\n}'),
    ('from', 'fn from(pair: (f64, f64)) -> Self {\n    Vec2 { x: pair.0, y: pair.1 }\n}'),
    ('from', 'fn from(array: [f64; 2]) -> Self {\n    Vec2 { x: array[0], y: array[1] }\n}'),
]
_RUST_IO = [
    (
        'read',
        'fn read_u16(&mut self) -> io::Result<u16> {\n    let mut buf = [0; 2];\n    self.inner.read_exact(&mut buf)?;\n'
        '    Ok(u16::from_le_bytes(buf))\n}',
    ),
    (
        'read',
        'fn read_u32(&mut self) -> io::Result<u32> {\n    let mut buf = [0; 4];\n    self.inner.read_exact(&mut buf)?;\n'
        '    Ok(u32::from_le_bytes(buf))\n}',
    ),
    (
        'read',
        'fn read_u64(&mut self) -> io::Result<u64> {\n    let mut buf = [0; 8];\n    self.inner.read_exact(&mut buf)?;\n'
        '    Ok(u64::from_le_bytes(buf))\n}',
    ),
    (
        'spawn',
        'pub fn spawn_worker(&self) -> JoinHandle<()> {\n    let queue = self.queue.clone();\n'
        '    thread::spawn(move || while let Some(task) = queue.pop() { task.run() })\n}',
    ),
    (
        'arg',
        'fn parse_args() -> Result<Options, String> {\n    let mut options = Options::default();\n'
        '    for arg in env::args().skip(1) { options.apply(&arg)?; }\n    Ok(options)\n}',
    ),
    ('drop', 'fn drop(&mut self) {\n    let _ = fs::remove_file(&self.path);\n}'),
]
_JAVA_BEAN = [
    ('prop', 'public String getName() {\n    return name;\n}'),
    ('prop', 'public void setName(String name) {\n    this.name = name;\n}'),
    (
        'equal',
        '@Override\npublic boolean equals(Object other) {\n    return other instanceof Customer c && c.id == id;\n}',
    ),
    ('equal', '@Override\npublic int hashCode() {\n    return Long.hashCode(id);\n}'),
    (
        'order',
        'public Order placeOrder(List<Item> items) {\n    Order order = new Order(this, items);\n'
        '    repository.save(order);\n    mailer.confirm(order);\n    return order;\n}',
    ),
    ('build', 'public static Builder builder() {\n    return new Builder();\n}'),
]
_JAVA_UTIL = [
    ('empty', 'public static boolean isEmpty(String text) {\n    return text == null || text.length() == 0;\n}'),
    ('empty', 'public static boolean isNotEmpty(String text) {\n    return text != null && text.length() > 0;\n}'),
    (
        'join',
        'public static String join(Object[] array, char separator) {\n    StringBuilder out = new StringBuilder();\n'
        '    for (Object o : array) out.append(o).append(separator);\n    return out.toString();\n}',
    ),
    (
        'join',
        'public static String join(Iterable<?> items, char separator) {\n    StringBuilder out = new StringBuilder();\n'
        '    for (Object o : items) out.append(o).append(separator);\n    return out.toString();\n}',
    ),
    (
        'zip',
        'public static void unzip(Path archive, Path target) throws IOException {\n    try (ZipInputStream in = open(archive)) '
        '{\n        for (ZipEntry e; (e = in.getNextEntry()) != null;) Files.copy(in, target.resolve(e.getName()));\n    }\n}',
    ),
    ('date', 'public static LocalDate firstOfMonth(LocalDate day) {\n    return day.withDayOfMonth(1);\n}'),
    (
        'date',
        'public static LocalDate lastOfMonth(LocalDate day) {\n    return day.withDayOfMonth(day.lengthOfMonth());\n}',
    ),
]
_C_LIST = [
    (
        'insert',
        'int list_push_front(list_t *l, void *v) {\n  node_t *n = node_new(v);\n  n->next = l->head;\n  l->head = n;\n'
        '  return 0;\n}',
    ),
    (
        'insert',
        'int list_push_back(list_t *l, void *v) {\n  node_t *n = node_new(v);\n  l->tail->next = n;\n  l->tail = n;\n'
        '  return 0;\n}',
    ),
    (
        'free',
        'void list_free(list_t *l) {\n  node_t *n = l->head;\n  while (n) { node_t *next = n->next; free(n); n = next; }\n}',
    ),
    (
        'hash',
        'static uint32_t hash(const char *s) {\n  uint32_t h = 5381;\n  while (*s) h = h * 33 + *s++;\n  return h;\n}',
    ),
    (
        'socket',
        'int tcp_listen(const char *host, int port) {\n  int fd = socket(AF_INET, SOCK_STREAM, 0);\n'
        '  bind(fd, addr(host, port), sizeof(struct sockaddr_in));\n  return listen(fd, 16) ? -1 : fd;\n}',
    ),
    (
        'socket',
        'int tcp_connect(const char *host, int port) {\n  int fd = socket(AF_INET, SOCK_STREAM, 0);\n'
        '  return connect(fd, addr(host, port), sizeof(struct sockaddr_in)) ? -1 : fd;\n}',
    ),
]
_C_PORT = [
    ('min', 'static int min_int(int a, int b) {\n  return a < b ? a : b;\n}'),
    ('min', 'static long min_long(long a, long b) {\n  return a < b ? a : b;\n}'),
    ('min', 'static double min_double(double a, double b) {\n  return a < b ? a : b;\n}'),
    (
        'utf',
        'int utf8_decode(const unsigned char *s, uint32_t *out) {\n  if (s[0] < 0x80) { *out = s[0]; return 1; }\n'
        '  *out = (s[0] & 0x1f) << 6 | (s[1] & 0x3f);\n  return 2;\n}',
    ),
    (
        'time',
        'uint64_t now_ms(void) {\n  struct timespec ts;\n  clock_gettime(CLOCK_MONOTONIC, &ts);\n'
        '  return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;\n}',
    ),
    (
        'usage',
        'static void usage(const char *program) {\n  fprintf(stderr, "usage: %s [-v] FILE\\n", program);\n  exit(2);\n}',
    ),
]
_CPP = [
    ('iter', 'iterator begin() noexcept { return iterator(data_); }'),
    ('iter', 'iterator end() noexcept { return iterator(data_ + size_); }'),
    (
        'grow',
        'void reserve(size_t wanted) {\n  if (wanted <= capacity_) return;\n  T* fresh = allocate(wanted);\n'
        '  std::move(data_, data_ + size_, fresh);\n  deallocate(data_);\n  data_ = fresh;\n  capacity_ = wanted;\n}',
    ),
    ('compare', 'bool operator==(const Vec& other) const { return size_ == other.size_ && equal(other); }'),
    ('compare', 'bool operator!=(const Vec& other) const { return !(*this == other); }'),
    ('dump', 'void dump(std::ostream& out) const {\n  out << "Vec(" << size_ << "/" << capacity_ << ")";\n}'),
]
_CSHARP = [
    ('dispose', 'public void Dispose()\n{\n    Dispose(true);\n    GC.SuppressFinalize(this);\n}'),
    ('dispose', 'protected virtual void Dispose(bool disposing)\n{\n    if (disposing) connection?.Dispose();\n}'),
    (
        'query',
        'public IEnumerable<Order> OrdersOf(int customer) =>\n    orders.Where(o => o.CustomerId == customer)'
        '.OrderBy(o => o.Date);',
    ),
    ('parse', 'public static int ParseInt(string text) => int.Parse(text, CultureInfo.InvariantCulture);'),
    ('parse', 'public static double ParseDouble(string text) => double.Parse(text, CultureInfo.InvariantCulture);'),
    (
        'notify',
        'private void OnPropertyChanged(string name) =>\n    PropertyChanged?.Invoke(this, new '
        'PropertyChangedEventArgs(name));',
    ),
]
_RUBY = [
    ('state', 'def open?\n  @state == :open\nend'),
    ('state', 'def closed?\n  @state == :closed\nend'),
    ('tax', 'def total_with_tax(rate)\n  lines.sum(&:price) * (1 + rate)\nend'),
    ('mail', 'def deliver_later\n  MailJob.perform_async(id, Time.now)\nend'),
    ('mail', 'def deliver_now\n  MailJob.new.perform(id, Time.now)\nend'),
    ('slug', 'def slug\n  title.downcase.gsub(/[^a-z0-9]+/, "-")\nend'),
]
_PHP = [
    ('rel', 'public function comments()\n{\n    return $this->hasMany(Comment::class);\n}'),
    ('rel', 'public function likes()\n{\n    return $this->hasMany(Like::class);\n}'),
    ('rel', 'public function author()\n{\n    return $this->belongsTo(User::class);\n}'),
    (
        'upload',
        'public function storeImage(UploadedFile $file): string\n{\n    $name = Str::random(40) . ".jpg";\n'
        '    $file->move(storage_path("images"), $name);\n    return $name;\n}',
    ),
    (
        'rss',
        'public function feed(): Response\n{\n    return response()->view("rss", ["posts" => $this->latest()])'
        '->header("Content-Type", "application/rss+xml");\n}',
    ),
    (
        'token',
        'private function token(): string\n{\n    return hash_hmac("sha256", $this->email, config("app.key"));\n}',
    ),
]
_KOTLIN = [
    ('map', 'fun User.toDto() = UserDto(id = id, name = name, email = email)'),
    ('map', 'fun UserDto.toEntity() = User(id = id, name = name, email = email)'),
    (
        'screen',
        '@Composable\nfun ErrorScreen(message: String, retry: () -> Unit) {\n    Column { Text(message)\n'
        '        Button(onClick = retry) { Text("Retry") } }\n}',
    ),
    (
        'flow',
        'fun locations(): Flow<Location> = callbackFlow {\n    client.requestUpdates { trySend(it) }\n'
        '    awaitClose { client.stop() }\n}',
    ),
    ('size', 'fun Int.kilobytes() = this * 1024L'),
    ('size', 'fun Int.megabytes() = this * 1024L * 1024L'),
]
_SWIFT = [
    (
        'cell',
        'func tableView(_ view: UITableView, numberOfRowsInSection section: Int) -> Int {\n    return items.count\n}',
    ),
    ('cell', 'func numberOfSections(in view: UITableView) -> Int {\n    return 1\n}'),
    (
        'keychain',
        'func storeToken(_ token: String) throws {\n    let status = SecItemAdd(query(token), nil)\n'
        '    guard status == errSecSuccess else { throw KeychainError(status) }\n}',
    ),
    (
        'color',
        'convenience init(hex: Int) {\n    self.init(red: CGFloat(hex >> 16 & 255) / 255, green: CGFloat(hex >> 8 & 255) / '
        '255, blue: CGFloat(hex & 255) / 255, alpha: 1)\n}',
    ),
    (
        'encode',
        'func encode(to encoder: Encoder) throws {\n    var c = encoder.container(keyedBy: Keys.self)\n'
        '    try c.encode(name, forKey: .name)\n}',
    ),
    (
        'encode',
        'init(from decoder: Decoder) throws {\n    let c = try decoder.container(keyedBy: Keys.self)\n'
        '    name = try c.decode(String.self, forKey: .name)\n}',
    ),
]
_ELIXIR_LUA_BASH = [
    ('call', 'def handle_call({:get, key}, _from, state) do\n  {:reply, Map.get(state, key), state}\nend'),
    ('call', 'def handle_call({:put, key, value}, _from, state) do\n  {:reply, :ok, Map.put(state, key, value)}\nend'),
    ('init', 'def start_link(options) do\n  GenServer.start_link(__MODULE__, options, name: __MODULE__)\nend'),
    ('render', 'def render("show.json", %{page: page}) do\n  %{data: page_json(page)}\nend'),
    ('render', 'def render("index.json", %{pages: pages}) do\n  %{data: Enum.map(pages, &page_json/1)}\nend'),
]
_LUA = [
    (
        'map',
        'local function map(list, fn)\n  local out = {}\n  for i, v in ipairs(list) do out[i] = fn(v) end\n  return out\nend',
    ),
    (
        'map',
        'local function filter(list, fn)\n  local out = {}\n  for _, v in ipairs(list) do if fn(v) then out[#out + 1] = v end '
        'end\n  return out\nend',
    ),
    (
        'window',
        'local function open_window(buffer, width)\n  return vim.api.nvim_open_win(buffer, true, { relative = "editor", '
        'width = width })\nend',
    ),
    ('keys', 'local function bind(mode, key, action)\n  vim.keymap.set(mode, key, action, { silent = true })\nend'),
    (
        'git',
        'local function branch()\n  local pipe = io.popen("git branch --show-current")\n  return pipe:read("*l")\nend',
    ),
]
_BASH = [
    ('log', 'info() {\n  printf "\\033[32m%s\\033[0m\\n" "$*"\n}'),
    ('log', 'warn() {\n  printf "\\033[33m%s\\033[0m\\n" "$*" >&2\n}'),
    ('log', 'error() {\n  printf "\\033[31m%s\\033[0m\\n" "$*" >&2\n}'),
    ('install', 'install_packages() {\n  apt-get update -q\n  apt-get install -y curl jq\n}'),
    ('backup', 'backup_database() {\n  pg_dump "$DATABASE_URL" | gzip > "backup-$(date +%F).sql.gz"\n}'),
    ('trap', 'cleanup() {\n  rm -rf "$tmp"\n  trap - EXIT\n}'),
]
_SCALA = [
    ('codec', 'implicit val userEncoder: Encoder[User] = deriveEncoder[User]'),
    ('codec', 'implicit val userDecoder: Decoder[User] = deriveDecoder[User]'),
    (
        'retry',
        'def retry[A](times: Int)(action: => A): A =\n  try action catch { case e: IOException if times > 0 => retry(times - 1)'
        '(action) }',
    ),
    ('fold', 'def sum(xs: List[Int]): Int = xs.foldLeft(0)(_ + _)'),
    ('fold', 'def product(xs: List[Int]): Int = xs.foldLeft(1)(_ * _)'),
    ('server', 'def routes: HttpRoutes[IO] = HttpRoutes.of[IO] {\n  case GET -> Root / "health" => Ok("up")\n}'),
]
_PYTHON_MODEL = [
    ('act', 'def relu(x):\n    return np.maximum(x, 0)'),
    ('act', 'def sigmoid(x):\n    return 1 / (1 + np.exp(-x))'),
    ('act', 'def tanh(x):\n    return np.tanh(x)'),
    (
        'train',
        'def fit(self, X, y, epochs=10):\n    for _ in range(epochs):\n        loss = self.loss(self.forward(X), y)\n'
        '        self.backward(loss)\n        self.optimizer.step()',
    ),
    (
        'load',
        'def load_weights(self, path):\n    state = np.load(path)\n    for name, value in state.items():\n'
        '        setattr(self, name, value)',
    ),
    ('load', 'def save_weights(self, path):\n    np.savez(path, **{name: getattr(self, name) for name in self.names})'),
    ('plot', 'def plot_loss(history):\n    plt.plot(history)\n    plt.xlabel("epoch")\n    plt.show()'),
]
_PYTHON_CRYPTO = [
    (
        'crypt',
        'def encrypt(key, data):\n    nonce = os.urandom(12)\n    return nonce + AESGCM(key).encrypt(nonce, data, None)',
    ),
    ('crypt', 'def decrypt(key, data):\n    return AESGCM(key).decrypt(data[:12], data[12:], None)'),
    (
        'walk',
        'def walk_files(root):\n    for folder, _, names in os.walk(root):\n        for name in names:\n'
        '            yield os.path.join(folder, name)',
    ),
    (
        'size',
        'def human_size(count):\n    for unit in "BKMG":\n        if count < 1024:\n            return f"{count:.1f}{unit}"\n'
        '        count /= 1024',
    ),
    ('cmd', 'def cmd_start(args):\n    service(args.name).start()\n    print("started", args.name)'),
    ('cmd', 'def cmd_stop(args):\n    service(args.name).stop()\n    print("stopped", args.name)'),
    (
        'cmd',
        'def cmd_restart(args):\n    service(args.name).stop()\n    service(args.name).start()\n'
        '    print("restarted", args.name)',
    ),
]
_GO_TEST = [
    (
        'reverse',
        'func TestReverse(t *testing.T) {\n\tif got := Reverse("abc"); got != "cba" {\n\t\tt.Fatalf("got %q", got)\n\t}\n}',
    ),
    (
        'reverse',
        'func TestReverseEmpty(t *testing.T) {\n\tif got := Reverse(""); got != "" {\n\t\tt.Fatalf("got %q", got)\n\t}\n}',
    ),
    ('bench', 'func BenchmarkParse(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tParse(sample)\n\t}\n}'),
    (
        'helper',
        'func tempDir(t *testing.T) string {\n\tdir, err := os.MkdirTemp("", "x")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n'
        '\tt.Cleanup(func() { os.RemoveAll(dir) })\n\treturn dir\n}',
    ),
    ('marshal', 'func (k Kind) MarshalText() ([]byte, error) {\n\treturn []byte(k.String()), nil\n}'),
    (
        'marshal',
        'func (k *Kind) UnmarshalText(text []byte) error {\n\tkind, err := ParseKind(string(text))\n\t*k = kind\n'
        '\treturn err\n}',
    ),
]
_JAVA_TEST = [
    ('stack', '@Test\npublic void pushIncreasesSize() {\n    stack.push(1);\n    assertEquals(1, stack.size());\n}'),
    (
        'stack',
        '@Test\npublic void popDecreasesSize() {\n    stack.push(1);\n    stack.pop();\n    assertEquals(0, stack.size());\n}',
    ),
    ('stack', '@Test(expected = EmptyStackException.class)\npublic void popOfEmptyThrows() {\n    stack.pop();\n}'),
    (
        'server',
        '@Before\npublic void startServer() throws Exception {\n    server = new MockServer(0);\n    server.start();\n}',
    ),
    ('server', '@After\npublic void stopServer() throws Exception {\n    server.shutdown();\n}'),
    (
        'xml',
        'private static Document parse(String xml) throws Exception {\n    return DocumentBuilderFactory.newInstance()'
        '.newDocumentBuilder().parse(new InputSource(new StringReader(xml)));\n}',
    ),
]
_TS_UI = [
    ('click', 'const handleOpen = useCallback(() => setOpen(true), []);'),
    ('click', 'const handleClose = useCallback(() => setOpen(false), []);'),
    (
        'price',
        'function PriceTag({ cents }: { cents: number }) {\n  return <span className="price">{(cents / 100).toFixed(2)}</span>;\n}',
    ),
    (
        'hook',
        'function useWindowSize() {\n  const [size, setSize] = useState(read());\n  useEffect(() => {\n'
        '    const update = () => setSize(read());\n    window.addEventListener("resize", update);\n'
        '    return () => window.removeEventListener("resize", update);\n  }, []);\n  return size;\n}',
    ),
    ('icon', 'export const PlusIcon = () => <svg viewBox="0 0 8 8"><path d="M4 0v8M0 4h8" /></svg>;'),
    ('icon', 'export const MinusIcon = () => <svg viewBox="0 0 8 8"><path d="M0 4h8" /></svg>;'),
]
_PYTHON_DB = [
    ('tx', 'def begin(self):\n    self.execute("BEGIN")\n    self.depth += 1'),
    ('tx', 'def commit(self):\n    self.execute("COMMIT")\n    self.depth -= 1'),
    ('tx', 'def rollback(self):\n    self.execute("ROLLBACK")\n    self.depth -= 1'),
    (
        'schema',
        'def migrate(self, folder):\n    for file in sorted(folder.glob("*.sql")):\n        if file.stem > self.version():\n'
        '            self.executescript(file.read_text())',
    ),
    (
        'row',
        'def row_factory(cursor, row):\n    return {column[0]: value for column, value in zip(cursor.description, row)}',
    ),
    ('pool', 'def acquire(self, timeout=5):\n    return self.free.get(timeout=timeout)'),
    ('pool', 'def release(self, connection):\n    self.free.put(connection)'),
]
_RUST_PARSE = [
    ('tok', "fn is_digit(c: char) -> bool {\n    ('0'..='9').contains(&c)\n}"),
    ('tok', "fn is_letter(c: char) -> bool {\n    c.is_ascii_alphabetic() || c == '_'\n}"),
    (
        'expr',
        'fn expression(&mut self, min: u8) -> Result<Expr> {\n    let mut left = self.primary()?;\n'
        '    while let Some(op) = self.operator(min) { left = Expr::binary(op, left, self.expression(op.power())?); }\n'
        '    Ok(left)\n}',
    ),
    (
        'opt',
        'fn fold_constants(expr: Expr) -> Expr {\n    match expr {\n        Expr::Binary(Op::Add, Num(a), Num(b)) => Num(a + b),\n'
        '        other => other,\n    }\n}',
    ),
    ('emit', 'fn emit_u8(&mut self, byte: u8) {\n    self.code.push(byte);\n}'),
    ('emit', 'fn emit_u16(&mut self, value: u16) {\n    self.code.extend(value.to_be_bytes());\n}'),
]
_CSHARP_GAME = [
    ('move', 'void MoveLeft()\n{\n    transform.position += Vector3.left * speed * Time.deltaTime;\n}'),
    ('move', 'void MoveRight()\n{\n    transform.position += Vector3.right * speed * Time.deltaTime;\n}'),
    ('hurt', 'public void TakeDamage(int amount)\n{\n    health -= amount;\n    if (health <= 0) Die();\n}'),
    (
        'score',
        'IEnumerator FadeScore()\n{\n    for (float a = 1; a > 0; a -= 0.1f) { label.alpha = a; yield return null; }\n}',
    ),
    (
        'save',
        'public void SaveGame(string slot)\n{\n    File.WriteAllText(Path.Combine(root, slot), JsonUtility.ToJson(state));\n}',
    ),
    (
        'save',
        'public void LoadGame(string slot)\n{\n    state = JsonUtility.FromJson<State>(File.ReadAllText(Path.Combine(root, slot)));\n}',
    ),
]
FILES = [
    ('python', _PYTHON_VALUES),
    ('python', _PYTHON_CONFIG),
    ('python', _PYTHON_QUEUE),
    ('python', _PYTHON_VIEWS),
    ('python', _PYTHON_TESTS),
    ('python', _PYTHON_TREE),
    ('python', _PYTHON_MODEL),
    ('python', _PYTHON_CRYPTO),
    ('python', _PYTHON_DB),
    ('javascript', _JS_EVENTS),
    ('javascript', _JS_STRING),
    ('javascript', _JS_STORE),
    ('typescript', _TS_REPO),
    ('typescript', _TS_GUARD),
    ('tsx', _TS_UI),
    ('go', _GO_STORE),
    ('go', _GO_HTTP),
    ('go', _GO_TEST),
    ('rust', _RUST_MATH),
    ('rust', _RUST_IO),
    ('rust', _RUST_PARSE),
    ('java', _JAVA_BEAN),
    ('java', _JAVA_UTIL),
    ('java', _JAVA_TEST),
    ('c', _C_LIST),
    ('c', _C_PORT),
    ('cpp', _CPP),
    ('csharp', _CSHARP),
    ('csharp', _CSHARP_GAME),
    ('ruby', _RUBY),
    ('php', _PHP),
    ('kotlin', _KOTLIN),
    ('swift', _SWIFT),
    ('elixir', _ELIXIR_LUA_BASH),
    ('lua', _LUA),
    ('bash', _BASH),
    ('scala', _SCALA),
]


def pairs() -> Iterator[tuple[str, str, str, bool]]:
    """(language, definition, its next neighbour, whether they serve the same concern)."""
    for language, definitions in FILES:
        for (first, a), (second, b) in zip(definitions, definitions[1:], strict=False):
            yield language, a, b, first == second
        # The first and the last of a file stand for neighbours two concerns apart: one more negative a file.
        yield language, definitions[0][1], definitions[-1][1], definitions[0][0] == definitions[-1][0]
