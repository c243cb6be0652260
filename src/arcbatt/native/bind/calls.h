// A program of arguments called with Python values: one call, or many on threads.
//
// The words of a call's arguments are, one argument after the other, a status and what its slot holds; then what those
// point to, by offsets that count from the end of the program's image, where a worker puts it.
#pragma once

#include <nanobind/ndarray.h>

#include "bind/python_values.h"
#include "bind/threads.h"

namespace arcbatt {

template <class T>
using Words = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

class Calls {
   public:
    Calls(nanobind::object program, std::vector<std::vector<u32>> given, std::vector<std::vector<u32>> made,
          RunLimits limits)
        : owner_(program),
          p_(nanobind::cast<const Program&>(program)),
          given_(std::move(given)),
          made_(std::move(made)),
          limits_(limits) {
        check_shapes(p_, given_, p_.arguments, "arguments");
        check_shapes(p_, made_, p_.outputs, "outputs");
        if (p_.input_slot || p_.samples_slot || p_.expected_slot)
            throw nanobind::value_error("a program of I, S or C is run on samples, not called");
    }

    // The first output of one call, on this thread; NotImplemented where there is none or an argument does not fit.
    nanobind::object one(nanobind::handle args) {
        if (!worker_) worker_ = std::make_unique<Worker>(p_, quick_limits());
        std::vector<u32> row;  // its own: making Python values may let another thread in
        Encoder encoder(p_, given_, p_.image.size());
        if (!encoder.call(args.ptr(), row)) return not_implemented();
        worker_->run(row.data(), row.size());
        if (worker_->machine().overspent() || worker_->status(0) == LIMIT) return one_of_many_steps(row);
        if (worker_->status(0) != OK) return not_implemented();
        return python_value(*worker_, 0, made_[0]);
    }

    // Every call of a list: the status of each output of each call as bytes, and the values in a list, None where there
    // is none. A call whose arguments are not of the declared types, or that was not run, has a status that says so.
    nanobind::tuple many(nanobind::list calls, u32 threads, nanobind::object watch) {
        u32 n = u32(nanobind::len(calls)), outputs = u32(made_.size());
        std::vector<u32> rows;
        std::vector<size_t> starts{0};
        std::vector<u8> fits(n, 1), statuses(size_t(n) * outputs, NOT_RUN);
        Encoder encoder(p_, given_, p_.image.size());
        for (u32 k = 0; k < n; ++k) {
            if (!encoder.call(PyList_GET_ITEM(calls.ptr(), Py_ssize_t(k)), rows)) {
                rows.resize(starts.back());
                fits[k] = 0;
            }
            starts.push_back(rows.size());
        }
        std::vector<std::vector<u32>> streams(n);
        std::atomic<u32> next{0}, finished{0};
        std::atomic<bool> stop{false}, out_of_memory{false};
        auto work = [&] {
            try {
                Worker worker(p_, limits_, &stop);
                while (!stop) {
                    u32 k = next.fetch_add(1);
                    if (k >= n) break;
                    if (fits[k])
                        run_row(worker, rows.data() + starts[k], starts[k + 1] - starts[k], streams[k],
                                statuses.data() + size_t(k) * outputs);
                    ++finished;
                }
            } catch (const std::bad_alloc&) {
                out_of_memory = stop = true;
            }
        };
        bool raised = run_threads(std::max(1u, std::min(threads, n)), work, stop, finished, watch);
        if (raised) throw nanobind::python_error();
        if (out_of_memory) throw std::bad_alloc();
        nanobind::list values;
        for (u32 k = 0; k < n; ++k) {
            const u32* from = streams[k].data();
            for (u32 o = 0; o < outputs; ++o) {
                u8& status = statuses[size_t(k) * outputs + o];
                if (!fits[k]) status = NOT_OF_TYPE;
                nanobind::object value = nanobind::none();
                if (status == EMPTY_TUPLE) value = nanobind::make_tuple();
                if (status == OK) {
                    const u32* shape = made_[o].data();
                    value = decoded(shape, from);
                }
                if (status == EMPTY_TUPLE) status = OK;
                values.append(value);
            }
            std::vector<u32>().swap(streams[k]);
        }
        return nanobind::make_tuple(nanobind::bytes(reinterpret_cast<const char*>(statuses.data()), statuses.size()),
                                    values);
    }

    // For engines elsewhere: of each argument the slots of every call of a list whose arguments are of the declared
    // types, one behind the other; what all of them point to, which is to lie from `begin` on; and of each call
    // whether it is among them.
    nanobind::tuple columns(nanobind::list calls, u64 begin) {
        size_t n = nanobind::len(calls), count = p_.arguments.size();
        std::vector<std::unique_ptr<std::vector<u32>>> slots;
        for (size_t k = 0; k < count; ++k) slots.push_back(std::make_unique<std::vector<u32>>());
        std::string fits(n, '\1');
        Encoder encoder(p_, given_, begin);
        std::vector<size_t> before(count);
        for (size_t call = 0; call < n; ++call) {
            PyObject* args = PyList_GET_ITEM(calls.ptr(), Py_ssize_t(call));
            bool good = PyTuple_Check(args) && size_t(PyTuple_GET_SIZE(args)) == count;
            size_t pointed = encoder.memory().size();
            for (size_t k = 0; k < count; ++k) before[k] = slots[k]->size();
            for (size_t k = 0; good && k < count; ++k)
                good = encoder.argument(k, PyTuple_GET_ITEM(args, Py_ssize_t(k)), *slots[k]);
            if (good) continue;
            for (size_t k = 0; k < count; ++k) slots[k]->resize(before[k]);
            encoder.memory().resize(pointed);
            fits[call] = 0;
        }
        nanobind::list made;
        for (auto& one : slots) made.append(array_of(one.release()));
        return nanobind::make_tuple(made, array_of(new std::vector<u32>(std::move(encoder.memory()))),
                                    nanobind::bytes(fits.data(), n));
    }

    // And the values of the first output from the words an engine gave: of each call its status, where its words are
    // and how many. None where there is no value.
    nanobind::list decoded_values(Words<u8> statuses, Words<u32> pool, Words<u64> place, Words<u32> length) const {
        nanobind::list values;
        for (size_t k = 0; k < statuses.size(); ++k) {
            nanobind::object value = nanobind::none();
            u8 status = statuses.data()[k];
            if (status == EMPTY_TUPLE) value = nanobind::make_tuple();
            if (status == OK) {
                u64 at = place.data()[k], n = length.data()[k];
                if (at > pool.size() || n > pool.size() - at) throw nanobind::value_error("words beyond the pool");
                const u32 *shape = made_[0].data(), *from = pool.data() + at;
                value = decoded(shape, from);
            }
            values.append(value);
        }
        return values;
    }

   private:
    // What takes more steps than these, in one operation or in all, does not end soon; meanwhile nobody looks for
    // signals.
    RunLimits quick_limits() const {
        constexpr u64 SOON = 2'000'000;
        return RunLimits{1 << 16, limits_.most_words, std::min(limits_.max_steps, SOON),
                         std::min(limits_.spent_end, SOON)};
    }
    // A call that does not end soon.
    nanobind::object one_of_many_steps(const std::vector<u32>& row) const {
        std::atomic<bool> stop{false};
        Worker worker(p_, limits_, &stop);
        run_watching_signals(stop, [&] { worker.run(row.data(), row.size()); });
        return worker.status(0) == OK ? python_value(worker, 0, made_[0]) : not_implemented();
    }

    template <class T>
    static nanobind::object array_of(std::vector<T>* from) {
        nanobind::capsule owner(from, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
        return nanobind::cast(
            nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(from->data(), {from->size()}, owner));
    }
    static nanobind::object not_implemented() { return nanobind::borrow(Py_NotImplemented); }

    void put(Worker& worker, u32 output, std::vector<u32>& to) const {
        Stream stream{to};
        const std::vector<u32>& shape = made_[output];
        read_value(worker.machine().c, shape.data(), u32(shape.size()), worker.value(output), stream);
    }

    void run_row(Worker& worker, const u32* row, size_t length, std::vector<u32>& to, u8* statuses) const {
        worker.run(row, length);
        if (worker.machine().c.stopped()) return;
        for (u32 k = 0; k < made_.size(); ++k) {
            statuses[k] = u8(worker.is_empty_tuple(k) ? EMPTY_TUPLE : worker.status(k));
            if (statuses[k] == OK) put(worker, k, to);
        }
    }

    nanobind::object owner_;
    const Program& p_;
    std::vector<std::vector<u32>> given_, made_;
    RunLimits limits_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace arcbatt
