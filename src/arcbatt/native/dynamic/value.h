// Values of the dynamic tier: 16 bytes, a tag and either the value itself or a pointer to an object that is counted by
// its references. Objects never change once they are made, and belong to one thread.
//
// A pair of numbers (IJ) and a number with such a pair (Cell) have no object, a tuple of plain integers only its
// integers; every other tuple and every set has its items as values, a set's ascending and distinct. Whatever reads a
// tuple does so by `length` and `item`, for which its form makes no difference.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <utility>
#include <vector>

#include "abi.h"

namespace arcbatt {
namespace dynamic {

enum class Tag : u8 { NONE, BOOL, INT, IJ, CELL, TUPLE, SET, FUNCTION };

// What a primitive that has no result throws: a status of the language.
struct Failure {
    Status reason;
};
[[noreturn]] inline void fail(Status reason) { throw Failure{reason}; }

class Value;

// Stands for any size that is no size of a value.
constexpr u32 NO_SIZE = u32(0) - 1;
inline u32 sum_of_sizes(u64 a, u64 b) { return u32(least(a + b, u64(NO_SIZE))); }

// The head of an object; behind it lie its items, as values or as integers. There can be a great many.
struct Object {
    u32 references;
    u32 count;         // items; of a function, parts
    u32 size;          // of its items together, at most NO_SIZE
    u32 beyond;        // what functions in it count beyond that with all they are made of, at most NO_SIZE
    u32 levels : 10;   // containers and functions inside one another
    u32 depth : 8;     // functions inside one another
    u32 calls : 12;    // primitives in it up to one more than is allowed
    u32 flat : 1;      // no item has an object
    u32 integers : 1;  // the items are integers
    u16 op, arity;     // of a function

    Value* values() { return reinterpret_cast<Value*>(this + 1); }
    const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
    i32* numbers() { return reinterpret_cast<i32*>(this + 1); }
    const i32* numbers() const { return reinterpret_cast<const i32*>(this + 1); }
};

// What the values of this thread hold, in bytes, and how much that may be.
namespace memory {

inline thread_local i64 held = 0, most_held = INT64_MAX;

inline void take(i64 bytes) {
    if (held + bytes > most_held) throw std::bad_alloc();
    held += bytes;
}

}  // namespace memory

static_assert(sizeof(Object) == 24, "most objects have few items");
static_assert(MAX_LEVELS + 1 < 1 << 10 && MAX_DEPTH + 1 < 1 << 8 && MAX_FUNCTION_CALLS + 2 < 1 << 12, "fields hold it");

inline i64 bytes_of(size_t items, size_t each) { return i64(sizeof(Object) + items * each); }

class Value {
   public:
    Value() : tag_(Tag::NONE), bools_(0), first_(0), rest_{} {}
    Value(const Value& other) : tag_(other.tag_), bools_(other.bools_), first_(other.first_), rest_(other.rest_) {
        if (has_object()) ++rest_.object->references;
    }
    Value(Value&& other) noexcept : tag_(other.tag_), bools_(other.bools_), first_(other.first_), rest_(other.rest_) {
        other.tag_ = Tag::NONE;
    }
    Value& operator=(Value other) noexcept {
        std::swap(tag_, other.tag_);
        std::swap(bools_, other.bools_);
        std::swap(first_, other.first_);
        std::swap(rest_, other.rest_);
        return *this;
    }
    ~Value() {
        if (has_object() && --rest_.object->references == 0) release();
    }

    static Value boolean(bool b) { return Value(Tag::BOOL, 0, b, 0, 0); }
    static Value integer(i32 x) { return Value(Tag::INT, 0, x, 0, 0); }
    static Value ij(i32 i, i32 j, u8 bools = 0) { return Value(Tag::IJ, bools, i, j, 0); }
    static Value cell(i32 colour, i32 i, i32 j, u8 bools = 0) { return Value(Tag::CELL, bools, colour, i, j); }
    // Takes over a new object, whose references are 1.
    static Value of(Tag tag, Object* object) {
        Value made;
        made.tag_ = tag;
        made.rest_.object = object;
        return made;
    }

    Tag tag() const { return tag_; }
    bool is_none() const { return tag_ == Tag::NONE; }
    bool is_number() const { return tag_ == Tag::INT || tag_ == Tag::BOOL; }
    bool is_tuple() const { return tag_ == Tag::TUPLE || tag_ == Tag::IJ || tag_ == Tag::CELL; }
    bool is_set() const { return tag_ == Tag::SET; }
    bool is_container() const { return tag_ >= Tag::IJ && tag_ <= Tag::SET; }
    bool is_function() const { return tag_ == Tag::FUNCTION; }
    bool has_object() const { return tag_ >= Tag::TUPLE; }
    bool has_integers() const { return tag_ == Tag::TUPLE && rest_.object->integers; }

    // Of a number, or the numbers of an IJ or a Cell, whose place is (i, j).
    i32 number() const { return first_; }
    i32 i() const { return tag_ == Tag::IJ ? first_ : rest_.numbers[0]; }
    i32 j() const { return tag_ == Tag::IJ ? rest_.numbers[0] : rest_.numbers[1]; }
    i32 second() const { return rest_.numbers[0]; }
    i32 third() const { return rest_.numbers[1]; }
    // Which of its numbers are booleans, a bit each.
    u8 bools() const { return bools_; }
    const Object& object() const { return *rest_.object; }
    // To finish an object that nothing else refers to yet.
    Object& made() { return *rest_.object; }
    // To write a tuple of integers that nothing else refers to yet.
    i32* numbers() { return rest_.object->numbers(); }

    // Of containers.
    u32 length() const { return has_object() ? rest_.object->count : 2; }
    Value item(u32 k) const {
        if (tag_ == Tag::IJ) return scalar(k ? rest_.numbers[0] : first_, bools_ >> k & 1);
        if (tag_ == Tag::CELL)
            return k ? ij(rest_.numbers[0], rest_.numbers[1], bools_ >> 1) : scalar(first_, bools_ & 1);
        return rest_.object->integers ? integer(rest_.object->numbers()[k]) : rest_.object->values()[k];
    }

    // How much it counts in steps.
    u64 size() const {
        if (tag_ == Tag::TUPLE || tag_ == Tag::SET) return rest_.object->size;
        return tag_ == Tag::IJ ? 2 : tag_ == Tag::CELL ? 3 : 1;
    }
    u64 beyond() const { return has_object() ? rest_.object->beyond : 0; }
    // With all that functions in it are made of, as often as they hold it.
    u64 full_size() const { return size() + beyond(); }
    u32 levels() const {
        if (has_object()) return rest_.object->levels;
        return tag_ == Tag::IJ ? 1 : tag_ == Tag::CELL ? 2 : 0;
    }
    // Of what it is or holds: functions inside one another, and primitives in functions.
    u32 depth() const { return has_object() ? rest_.object->depth : 0; }
    u32 calls() const { return has_object() ? rest_.object->calls : 0; }
    // As Python has it: nothing, zero and empty containers are false.
    bool truth() const {
        if (tag_ == Tag::NONE) return false;
        if (is_number()) return first_ != 0;
        return tag_ == Tag::FUNCTION || length() != 0;
    }

   private:
    Value(Tag tag, u8 bools, i32 first, i32 second, i32 third) : tag_(tag), bools_(bools), first_(first), rest_{} {
        rest_.numbers[0] = second;
        rest_.numbers[1] = third;
    }
    static Value scalar(i32 x, bool is_bool) { return Value(is_bool ? Tag::BOOL : Tag::INT, 0, x, 0, 0); }

    void release() {
        Object* gone = rest_.object;
        if (!gone->flat)
            for (u32 k = 0; k < gone->count; ++k) gone->values()[k].~Value();
        memory::held -= bytes_of(gone->count, gone->integers ? sizeof(i32) : sizeof(Value));
        std::free(gone);
    }

    Tag tag_;
    u8 bools_;
    i32 first_;
    union Rest {
        i32 numbers[2];
        Object* object;
    } rest_;
};
static_assert(sizeof(Value) == 16, "a value is 16 bytes");

// What an item counts in the size of what holds it.
inline u64 share(const Value& item) { return most(u64(1), item.size()); }

// Values in a row that grow, and become the items of a tuple, set or function without being copied: room for the head
// of the object is kept before them. Values may be moved as bytes.
class Items {
   public:
    Items() = default;
    Items(size_t n, const Value& item) {
        reserve(n);
        for (size_t k = 0; k < n; ++k) push_back(item);
    }
    Items(std::initializer_list<Value> items) {
        reserve(items.size());
        for (const Value& item : items) push_back(item);
    }
    Items(const Items& other) {
        reserve(other.size());
        for (const Value& item : other) push_back(item);
    }
    Items(Items&& other) noexcept { swap(other); }
    Items& operator=(Items other) noexcept {
        swap(other);
        return *this;
    }
    ~Items() {
        cut(0);
        if (room_) memory::held -= bytes_of(capacity_, sizeof(Value));
        std::free(room_);
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Value* data() { return begin(); }
    Value* begin() { return reinterpret_cast<Value*>(room_ + 1); }
    Value* end() { return begin() + size_; }
    const Value* begin() const { return reinterpret_cast<const Value*>(room_ + 1); }
    const Value* end() const { return begin() + size_; }
    Value& operator[](size_t k) { return begin()[k]; }
    const Value& operator[](size_t k) const { return begin()[k]; }
    Value& back() { return end()[-1]; }

    void reserve(size_t n) {
        if (n <= capacity_ && room_) return;
        i64 added = bytes_of(n, sizeof(Value)) - (room_ ? bytes_of(capacity_, sizeof(Value)) : 0);
        memory::take(added);
        void* more = std::realloc(static_cast<void*>(room_), sizeof(Object) + n * sizeof(Value));
        if (!more) {
            memory::held -= added;
            throw std::bad_alloc();
        }
        room_ = static_cast<Object*>(more);
        capacity_ = n;
    }
    void push_back(Value item) {
        if (size_ == capacity_) reserve(capacity_ ? 2 * capacity_ : 8);
        new (begin() + size_++) Value(std::move(item));
    }
    // Drop what is behind the first n.
    void cut(size_t n) {
        while (size_ > n) begin()[--size_].~Value();
    }
    void insert(size_t place, Value item) {
        push_back(std::move(item));
        std::rotate(begin() + place, end() - 1, end());
    }

    // The items as an object, whose size, levels and functions are those of containers; none are left here.
    Object* as_object() {
        if (!room_) reserve(size_);
        if (capacity_ > 2 * size_) {
            void* less = std::realloc(static_cast<void*>(room_), sizeof(Object) + size_ * sizeof(Value));
            if (!less) throw std::bad_alloc();
            room_ = static_cast<Object*>(less);
        }
        Object* made = new (room_) Object{1, u32(size_), 0, 0, 0, 0, 0, 1, 0, 0, 0};
        u32 levels = 0, depth = 0, calls = 0;
        bool flat = true;
        for (u32 k = 0; k < size_; ++k) {
            const Value& item = made->values()[k];
            made->size = sum_of_sizes(made->size, share(item));
            if (!item.has_object()) {
                levels = most(levels, item.levels());
                continue;
            }
            flat = false;
            made->beyond = sum_of_sizes(made->beyond, item.beyond());
            levels = most(levels, item.levels());
            depth = most(depth, item.depth());
            calls = least(calls + item.calls(), u32(MAX_FUNCTION_CALLS) + 1);
        }
        made->levels = levels + 1;
        made->depth = depth;
        made->calls = calls;
        made->flat = flat;
        memory::held -= bytes_of(capacity_, sizeof(Value)) - bytes_of(size_, sizeof(Value));
        room_ = nullptr;
        size_ = capacity_ = 0;
        return made;
    }

   private:
    void swap(Items& other) noexcept {
        std::swap(room_, other.room_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    Object* room_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
};

// A tuple of two.
inline Value pair(Value a, Value b) {
    if (a.is_number()) {
        u8 is_bool = a.tag() == Tag::BOOL;
        if (b.is_number()) return Value::ij(a.number(), b.number(), u8(is_bool | (b.tag() == Tag::BOOL) << 1));
        if (b.tag() == Tag::IJ) return Value::cell(a.number(), b.i(), b.j(), u8(is_bool | b.bools() << 1));
    }
    Items both;
    both.reserve(2);
    both.push_back(std::move(a));
    both.push_back(std::move(b));
    return Value::of(Tag::TUPLE, both.as_object());
}

// A tuple of integers that are not written yet.
inline Object* integers(u32 count) {
    i64 bytes = bytes_of(count, sizeof(i32));
    memory::take(bytes);
    void* room = std::malloc(size_t(bytes));
    if (!room) {
        memory::held -= bytes;
        throw std::bad_alloc();
    }
    return new (room) Object{1, count, count, 0, 1, 0, 0, 1, 1, 0, 0};
}
inline Value tuple_of_numbers(const i32* numbers, u32 count) {
    if (count == 2) return Value::ij(numbers[0], numbers[1]);
    Object* made = integers(count);
    std::copy(numbers, numbers + count, made->numbers());
    return Value::of(Tag::TUPLE, made);
}

inline Value make_tuple(Items items) {
    if (items.size() == 2) return pair(std::move(items[0]), std::move(items[1]));
    for (const Value& item : items)
        if (item.tag() != Tag::INT) return Value::of(Tag::TUPLE, items.as_object());
    Object* made = integers(u32(items.size()));
    for (u32 k = 0; k < made->count; ++k) made->numbers()[k] = items[k].number();
    return Value::of(Tag::TUPLE, made);
}

// A set of items that ascend and are distinct.
inline Value set_of_ascending(Items items) { return Value::of(Tag::SET, items.as_object()); }

}  // namespace dynamic
}  // namespace arcbatt
