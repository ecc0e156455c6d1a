#include "campaign/h5_table.hpp"

#include <algorithm>
#include <bit>
#include <istream>
#include <stdexcept>

#include "campaign/bytes.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;

namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // an address that is none
constexpr std::size_t kSuperblock = 48;
constexpr std::size_t kHeadOfHeader = 10;    // "OHDR", version, flags, size
constexpr std::size_t kLeastHeap = 4096;     // the library reads as much of a heap at once
constexpr std::size_t kMostMessage = 65535;  // its size has 16 bits

enum Message : std::uint8_t { kDataspace = 1, kLinkInfo = 2, kDatatype = 3, kFill = 5, kLink = 6, kLayout = 8, kGroupInfo = 10, kAttribute = 12 };

/// Bob Jenkins' lookup3, which HDF5 checks its metadata by (the specification's "checksum").
std::uint32_t lookup3(std::string_view text) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(text.size()), b = a, c = a;
  const auto step = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int bits) { x -= z, x ^= std::rotl(z, bits), z += y; };
  const auto word = [&](std::size_t at) { return static_cast<std::uint32_t>(get(text, at, 4)); };  // zeros behind the end
  std::size_t at = 0;
  for (; text.size() - at > 12; at += 12) {
    a += word(at), b += word(at + 4), c += word(at + 8);
    step(a, b, c, 4), step(b, c, a, 6), step(c, a, b, 8), step(a, b, c, 16), step(b, c, a, 19), step(c, a, b, 4);
  }
  if (at == text.size()) return c;
  a += word(at), b += word(at + 4), c += word(at + 8);
  const auto last = [](std::uint32_t& x, std::uint32_t y, int bits) { x ^= y, x -= std::rotl(y, bits); };
  last(c, b, 14), last(a, c, 11), last(b, a, 25), last(c, b, 16), last(a, c, 4), last(b, a, 14), last(c, b, 24);
  return c;
}

void add_message(std::string& to, Message type, const std::string& body) {
  if (body.size() > kMostMessage) throw std::length_error("a message is too long for HDF5");
  put(to, type, 1), put(to, body.size(), 2), put(to, 0, 1);
  to += body;
}

std::string object_header(const std::string& messages) {
  std::string out = "OHDR";
  put(out, 2, 1), put(out, 2, 1), put(out, messages.size(), 4);  // version; a size of four bytes, no time stamps
  out += messages;
  put(out, lookup3(out), 4);
  return out;
}

// Datatypes, version 3: class, three bytes of flags, size, properties.
std::string datatype(std::uint8_t kind, std::uint32_t flags, std::uint64_t size) {
  std::string out;
  put(out, 0x30u | kind, 1), put(out, flags, 3), put(out, size, 4);
  return out;
}
std::string whole_type(std::size_t bytes) {
  std::string out = datatype(0, 0, bytes);
  put(out, 0, 2), put(out, 8 * bytes, 2);  // offset and number of its bits
  return out;
}
std::string number_type() {
  std::string out = datatype(1, 0x3f20, 8);  // the sign is bit 63, the mantissa's 1 is not kept
  put(out, 0, 2), put(out, 64, 2), put(out, 52, 1), put(out, 11, 1), put(out, 0, 1), put(out, 52, 1), put(out, 1023, 4);  // IEEE 754
  return out;
}
std::string text_type(std::size_t bytes) { return datatype(3, 0x11, bytes); }     // filled up with zeros; UTF-8
std::string long_text_type() { return datatype(9, 0x0101, 16) + whole_type(1); }  // a text in the heap; UTF-8
std::string type_of(const H5Column& c) {
  return c.kind == H5Column::Kind::number ? number_type() : c.kind == H5Column::Kind::whole ? whole_type(8) : text_type(c.bytes);
}

/// Bytes that a number up to `most` takes.
std::size_t bytes_for(std::uint64_t most) { return (static_cast<std::size_t>(std::bit_width(most)) + 7) / 8; }

std::string row_type(const std::vector<H5Column>& columns) {
  const std::size_t size = row_bytes(columns);
  std::string out = datatype(6, static_cast<std::uint32_t>(columns.size()), size);
  std::size_t at = 0;
  for (const H5Column& c : columns) {
    out += c.name;
    out += '\0';
    put(out, at, bytes_for(size));
    out += type_of(c);
    at += c.bytes;
  }
  if (columns.size() > kMostMessage || out.size() > kMostMessage)
    throw std::length_error(cat("the names of ", columns.size(), " columns are too long for an HDF5 table: its description has ", out.size(), " bytes, but ",
                                kMostMessage, " is the most"));
  return out;
}

std::string scalar_space() { return {2, 0, 0, 0}; }
std::string row_space(std::uint64_t rows) {
  std::string out{2, 1, 0, 1};
  put(out, rows, 8);
  return out;
}

std::string attribute(const std::string& name, std::size_t length, std::uint64_t heap, std::size_t index) {
  const std::string type = long_text_type(), space = scalar_space();
  std::string out;
  put(out, 3, 1), put(out, 0, 1), put(out, name.size() + 1, 2), put(out, type.size(), 2), put(out, space.size(), 2), put(out, 0, 1);
  out += name;
  out += '\0';
  out += type + space;
  put(out, length, 4), put(out, heap, 8), put(out, index, 4);
  return out;
}

std::string root_messages(const H5Table& table, std::uint64_t heap, std::uint64_t header) {
  std::string info, link, messages;
  put(info, 0, 2), put(info, kNowhere, 8), put(info, kNowhere, 8);
  put(link, 1, 1), put(link, 0, 1), put(link, table.name.size(), 1);
  link += table.name;
  put(link, header, 8);
  add_message(messages, kLinkInfo, info);
  add_message(messages, kGroupInfo, std::string(2, '\0'));
  add_message(messages, kLink, link);
  for (std::size_t i = 0; i < table.attributes.size(); ++i)
    add_message(messages, kAttribute, attribute(table.attributes[i].first, table.attributes[i].second.size(), heap, i + 1));
  return messages;
}

std::string table_messages(const H5Table& table, std::uint64_t data) {
  std::string layout, messages;
  put(layout, 3, 1), put(layout, 1, 1), put(layout, table.rows == 0 ? kNowhere : data, 8), put(layout, table.rows * row_bytes(table.columns), 8);
  add_message(messages, kDataspace, row_space(table.rows));
  add_message(messages, kDatatype, row_type(table.columns));
  add_message(messages, kFill, {3, 0x0a});  // no value of its own
  add_message(messages, kLayout, layout);
  return messages;
}

std::string heap_of(const H5Table& table) {
  std::string objects;
  for (std::size_t i = 0; i < table.attributes.size(); ++i) {
    put(objects, i + 1, 2), put(objects, 1, 2), put(objects, 0, 4), put(objects, table.attributes[i].second.size(), 8);
    objects += table.attributes[i].second;
    objects.resize((objects.size() + 7) / 8 * 8, '\0');
  }
  const std::size_t size = std::max(kLeastHeap, 16 + objects.size() + 16);
  std::string out = "GCOL";
  put(out, 1, 4), put(out, size, 8);
  out += objects;
  put(out, 0, 8), put(out, size - out.size() + 8, 8);  // object 0: what is free, with these sixteen bytes
  out.resize(size, '\0');
  return out;
}

}  // namespace

std::size_t row_bytes(const std::vector<H5Column>& columns) {
  std::size_t sum = 0;
  for (const H5Column& c : columns) sum += c.bytes;
  return sum;
}

std::string h5_head(const H5Table& table) {
  const auto header_size = [](const std::string& messages) { return kHeadOfHeader + messages.size() + 4; };
  const std::uint64_t header = kSuperblock + header_size(root_messages(table, 0, 0));
  const std::uint64_t heap = (header + header_size(table_messages(table, 0)) + 7) / 8 * 8;
  const std::string texts = heap_of(table);
  const std::uint64_t data = heap + texts.size();
  std::string out(kSignature);
  put(out, 2, 1), put(out, 8, 1), put(out, 8, 1), put(out, 0, 1);  // version, bytes of addresses and of lengths, flags
  put(out, 0, 8), put(out, kNowhere, 8), put(out, data + table.rows * row_bytes(table.columns), 8), put(out, kSuperblock, 8);
  put(out, lookup3(out), 4);
  out += object_header(root_messages(table, heap, header)) + object_header(table_messages(table, data));
  out.resize(heap, '\0');
  return out + texts;
}

std::optional<H5Table> read_h5_head(std::istream& in) {
  constexpr std::uint64_t kMostHeader = 1 << 24;
  const auto take = [&](std::uint64_t from, std::uint64_t size) {
    std::string bytes(size, '\0');
    in.clear();
    in.seekg(static_cast<std::streamoff>(from));
    in.read(bytes.data(), static_cast<std::streamsize>(size));
    return in ? bytes : std::string();
  };
  const auto header_at = [&](std::uint64_t from) {
    const std::string head = take(from, kHeadOfHeader);
    const std::uint64_t size = get(head, 6, 4);
    if (head.substr(0, 4) != "OHDR" || size > kMostHeader) return std::string();
    std::string all = take(from, kHeadOfHeader + size + 4);
    return all.empty() || get(all, all.size() - 4, 4) != lookup3(std::string_view(all).substr(0, all.size() - 4)) ? std::string() : all;
  };
  const std::string super = take(0, kSuperblock);
  if (super.substr(0, kSignature.size()) != kSignature) return {};
  const std::string root = header_at(kSuperblock), own = root.empty() ? root : header_at(kSuperblock + root.size());
  H5Table table;
  for (std::size_t at = kHeadOfHeader; at + 8 < own.size();) {
    const std::uint64_t type = get(own, at, 1), size = get(own, at + 1, 2);
    const std::string_view body = std::string_view(own).substr(at + 4, size);
    at += 4 + size;
    if (type == kDataspace) table.rows = get(body, 4, 8);
    if (type != kDatatype || body.size() < 8) continue;
    const std::size_t offset = bytes_for(get(body, 4, 4));
    std::size_t next = 8;
    for (std::uint64_t left = get(body, 1, 2); left > 0 && next < body.size(); --left) {
      H5Column column{std::string(body.substr(next, body.find('\0', next) - next))};
      next += column.name.size() + 1 + offset;
      const std::uint64_t kind = get(body, next, 1) & 15;
      column.kind = kind == 1 ? H5Column::Kind::number : kind == 0 ? H5Column::Kind::whole : H5Column::Kind::text;
      column.bytes = get(body, next + 4, 4);
      next += type_of(column).size();
      table.columns.push_back(std::move(column));
    }
  }
  const std::uint64_t end = get(super, 28, 8), size = row_bytes(table.columns);
  if (table.columns.empty() || size == 0 || table.rows > end / size) return {};
  in.clear();
  in.seekg(static_cast<std::streamoff>(end - table.rows * size));
  return table;
}

void append_text(std::string& to, std::string_view text, std::size_t bytes) {
  std::size_t size = std::min(text.size(), bytes);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  to.append(text.substr(0, size)).append(bytes - size, '\0');
}

}  // namespace ulna::internal::campaign
